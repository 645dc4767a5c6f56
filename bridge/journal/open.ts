import { Refusal } from '../client/refusal.ts';
import { refusalFor } from './broken.ts';
import { checkBeside, claimFile } from './file.ts';
import { FileJournal, type JournalOptions } from './file-journal.ts';
import type { Journal } from './journal.ts';
import { openFile } from './store/schema.ts';

/** Opens the journal, or makes it. Refuses a file that anybody else could have written or could read. */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  claimFile(path);
  checkBeside(path);
  let db;
  try {
    db = openFile(path);
  } catch (error) {
    throw refusalFor(path, error);
  }
  if (db === undefined)
    throw new Refusal('VERSION_MISMATCH', `${path} was written by a newer AgentWorks. Update this one.`, {
      subject: path,
    });
  return new FileJournal(path, db, options);
}
