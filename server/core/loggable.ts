const FRAMES = 12;
/** What PostgreSQL says of where, beside what. Its `detail` quotes the row, and with it a message. */
const WHERE = ['severity', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall'] as const;

/** An error as the log may know it: what kind, where, and no value that it happened to. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause } = error as Error & { code?: unknown };
  const where = error as Partial<Record<(typeof WHERE)[number], unknown>>;
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message: withoutValues(error, code),
    ...Object.fromEntries(WHERE.flatMap((name) => (where[name] === undefined ? [] : [[name, where[name]]]))),
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .slice(0, FRAMES)
      .join('\n'),
    ...(cause === undefined ? {} : { cause: loggable(cause) }),
  };
}

/** PostgreSQL's data errors and V8's syntax errors quote what they could not read. */
function withoutValues(error: Error, code: unknown): string {
  const said = error.message.split('\n - detail:')[0]!.split('\n')[0]!;
  const quotes = error instanceof SyntaxError || (typeof code === 'string' && code.startsWith('22'));
  return quotes ? said.replace(/["'].*["']/s, '"…"') : said;
}
