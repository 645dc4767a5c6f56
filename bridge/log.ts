/** One JSON line an event, on stderr: events are named as facts. Never a body, never a secret. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export const newLog =
  (write: (line: string) => void = (line) => void process.stderr.write(line)): Log =>
  (event, fields = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), event, pid: process.pid, ...plain(fields) })}\n`);

const plain = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? { message: value.message, stack: value.stack } : value,
    ]),
  );
