import { main } from './main.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

// `agentworks … | head` is done when its reader is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`agentworks: What was found could not be printed (${error.code}).\n`);
  process.exit(1);
});
// There is nowhere left to say it.
process.stderr.on('error', () => process.exit(1));

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stdin: process.stdin,
  signal: stop.signal,
  isTerminal: process.stdout.isTTY,
  screen: process.stdout,
  columns: process.stdout.columns || 80,
});
