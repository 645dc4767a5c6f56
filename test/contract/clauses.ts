import { readFileSync } from 'node:fs';

/** One promise of docs/contract.md. */
export interface Assertion {
  readonly id: string;
  /** Doors it must hold through, or `server`, or `client`; empty when a later part builds it. */
  readonly ways: readonly string[];
  /** The part of the product that builds it, when it is not here yet. */
  readonly by: string | undefined;
  readonly text: string;
}

export interface Clause {
  readonly id: string;
  readonly title: string;
  readonly assertions: readonly Assertion[];
}

export const ID = String.raw`[A-Z]{3}-\d+[a-z]?(?:\.\d+)?`;

const ways = new Set(['rpc', 'http', 'cli', 'mcp', 'server', 'client']);
const clauseLine = /^### ([A-Z]{3}-\d+[a-z]?) (.+)$/;
const assertionLine = new RegExp(String.raw`^- \*\*(${ID})\*\* \[([a-z ]+)\] (.+)$`);

export const readClauses = (): Clause[] => parseClauses(readFileSync('docs/contract.md', 'utf8'));

/** Reads the page that people read; a line that is nearly right is an error, not a line less. */
export function parseClauses(page: string): Clause[] {
  const clauses: (Clause & { readonly assertions: Assertion[] })[] = [];
  for (const [index, line] of page.split('\n').entries()) {
    const where = `docs/contract.md:${index + 1}`;
    const [, id, title] = clauseLine.exec(line) ?? [];
    if (id !== undefined) clauses.push({ id, title: title!, assertions: [] });
    else if (line.startsWith('#### ') || line.startsWith('### ')) throw new Error(`${where} is no clause: ${line}`);
    else if (/^\s*[-*] /.test(line)) clauses.at(-1)?.assertions.push(parseAssertion(where, line, clauses.at(-1)!.id));
  }
  const ids = clauses.flatMap((clause) => [clause.id, ...clause.assertions.map((assertion) => assertion.id)]);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`docs/contract.md has ${twice} twice`);
  return clauses;
}

function parseAssertion(where: string, line: string, clause: string): Assertion {
  const [, id, how, text] = assertionLine.exec(line) ?? [];
  if (id === undefined) throw new Error(`${where} is no assertion: ${line}`);
  const own = /[a-z]$/.test(clause) ? /^\.\d+$/ : /^[a-z]$/;
  if (!id.startsWith(clause) || !own.test(id.slice(clause.length)))
    throw new Error(`${where}: ${id} is not of ${clause}`);
  const [first, ...rest] = how!.split(' ');
  if (first === 'by' && rest.length === 1) return { id, ways: [], by: rest[0], text: text! };
  const unknown = [first!, ...rest].find((way) => !ways.has(way));
  if (unknown !== undefined) throw new Error(`${where}: ${unknown} is no door`);
  return { id, ways: [first!, ...rest], by: undefined, text: text! };
}
