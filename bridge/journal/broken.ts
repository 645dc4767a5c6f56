import { Refusal } from '../client/refusal.ts';

/** SQLite's own numbers; the lower eight bits say the kind. */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const kindOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
};

/** After these it is not known what is on the disk. A full disk refuses one act and harms nothing. */
export const isBreaking = (error: unknown): boolean =>
  [READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB].includes(kindOf(error) ?? 0);

/** The refusal for what SQLite threw; anything else is a fault of ours and stays what it is. */
export function refusalFor(path: string, error: unknown): unknown {
  if (kindOf(error) === undefined) return error;
  const about = { subject: path };
  switch (kindOf(error)) {
    case FULL:
      return new Refusal('STORAGE_FULL', `The disk of ${path} is full; nothing was kept. Free some space.`, about);
    case BUSY:
      return new Refusal('NOT_ALLOWED', `${path} is in use by another bridge. Stop that one first.`, about);
    default: {
      const why = error instanceof Error ? error.message : String(error);
      const sentence = `${path} cannot be used any more (${why}). Look at the disk, then move the file away: what waits on the server comes again.`;
      return new Refusal('INTERNAL', sentence, about);
    }
  }
}

/** A bound of our own. */
export const spent = (what: string, bound: number): Refusal =>
  new Refusal('STORAGE_FULL', `The journal holds ${bound} ${what}, which is the limit. Let some be taken first.`, {
    bound,
  });
