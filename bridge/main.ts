import { Refusal } from './client/refusal.ts';
import { openDaemon } from './daemon.ts';
import { newLog } from './log.ts';

const log = newLog();

/** 0 after an ordered stop, and when another bridge serves this config already. */
async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const daemon = await openDaemon({ env: process.env, log, stop: () => stop.abort() });
  if (daemon === undefined) return log('bridge.runs_already');
  log('bridge.listening', { socket: daemon.socket, version: daemon.version });
  if (!stop.signal.aborted) await new Promise((done) => stop.signal.addEventListener('abort', done));
  log('bridge.stopping');
  await daemon.close();
}

// What is half done is in the journal; going on after a fault of ours is not safe.
process.on('uncaughtException', (error) => {
  log('bridge.fault', { error });
  process.exit(1);
});

try {
  await main();
  process.exit(0);
} catch (error) {
  if (error instanceof Refusal) log('bridge.refused', { reason: error.reason, sentence: error.sentence });
  else log('bridge.fault', { error });
  process.exit(1);
}
