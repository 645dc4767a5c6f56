import { readCitations } from '../test/contract/citations.ts';
import { readClauses } from '../test/contract/clauses.ts';
import { readResults } from '../test/contract/results.ts';
import { standings } from '../test/contract/standing.ts';

const clauses = readClauses();
const standing = standings(clauses, readCitations(), readResults());

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(standing, undefined, 2)}\n`);
else print();

/** One line a clause; under it what nobody proves. */
function print(): void {
  const texts = new Map(clauses.flatMap(({ assertions }) => assertions.map(({ id, by, text }) => [id, { by, text }])));
  for (const { id, proven, doors, missing } of standing) {
    const { title } = clauses.find((clause) => clause.id === id)!;
    say(
      `${id.padEnd(8)}${(proven ? 'proven' : 'open').padEnd(8)}${title}${doors.length > 0 ? `  (${doors.join(' ')})` : ''}`,
    );
    for (const assertion of missing) {
      const { by, text } = texts.get(assertion)!;
      say(`          ${assertion}  ${by === undefined ? 'nobody proves' : `by ${by}`}: ${text}`);
    }
  }
  const open = standing.flatMap(({ missing }) => missing);
  const due = open.filter((id) => texts.get(id)!.by === undefined);
  say('');
  say(`clauses     ${standing.filter(({ proven }) => proven).length} of ${standing.length} proven`);
  say(
    `assertions  ${texts.size - open.length} of ${texts.size} proven, ${due.length} due now, ${open.length - due.length} by later parts`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
