const wanted = /^([a-z.-]+)(?::(\d+))?$/.exec(process.env['AGENTWORKS_BRIDGE_CRASH_POINT'] ?? '');
let left = Number(wanted?.[2] ?? 1);

/** The places where a test may kill the bridge, at the n-th passing: `AGENTWORKS_BRIDGE_CRASH_POINT=offer.persisted:3`. */
export type CrashPoint =
  | 'journal.received' // what was delivered is written and not committed
  | 'cursor.saved' // what was delivered, and where to go on from, is on disk
  | 'offer.persisted' // the offer is on disk, nobody has been asked and nothing emitted
  | 'offer.emitted' // the session has it, the journal does not know
  | 'acknowledge.sent' // the server has the acknowledgement, the journal does not
  | 'acknowledge.kept' // an acknowledgement that the server could not hear is on disk, and nobody has been told so
  | 'detach.kept' // the lease ended here, the server has not been told
  | 'detach.told' // the server ended it, the journal still means to tell it
  | 'outbox.sent'; // the server has the message, the outbox still holds it

export function crashPoint(name: CrashPoint): void {
  if (wanted === null || wanted[1] !== name) return;
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
}
