import { openJournal } from '../../bridge/journal/open.ts';
import { Refusal } from '../../bridge/client/refusal.ts';
import { delivered, lease } from '../world/journal.ts';

/** Receives one message after the other on a disk that fails, and says how each went. */
const [file, count] = process.argv.slice(2);
let told = 0;
const journal = openJournal(file!, { onBroken: () => told++ });
journal.saveLease(lease('att_1'));
process.stdout.write('ready\n');
for (let n = 0; n < Number(count); n++)
  try {
    journal.receive('att_1', [delivered(`m${n}`)], `c${n}`);
    process.stdout.write(`m${n} kept\n`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stdout.write(`m${n} ${error.reason} told=${told}\n`);
  }
