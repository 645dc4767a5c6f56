const wanted = /^([a-z.-]+)(?::(\d+))?$/.exec(process.env['AGENTWORKS_CRASH_POINT'] ?? '');
let left = Number(wanted?.[2] ?? 1);

/** The places where a test may kill this process, at the n-th passing: `AGENTWORKS_CRASH_POINT=batch.committed:3`. */
export type CrashPoint =
  | 'batch.collected' // submissions are in memory, the statement has not run
  | 'batch.committed' // on disk, nobody has been answered
  | 'send.answered' // the sender has its answer, no other node has been told
  | 'notify.sent' // every node has been told
  | 'stream.yielded' // half a page is on its way to a reader
  | 'offer.claimed' // an offer is marked, its answer is not sent
  | 'acknowledge.committed'; // a receipt is on disk, its answer is not sent

export function crashPoint(name: CrashPoint): void {
  if (wanted === null || wanted[1] !== name) return;
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
}
