import { describe, expect, test } from 'vitest';
import { parseCitations, readCitations } from './citations.ts';
import { parseClauses, readClauses } from './clauses.ts';
import { standings } from './standing.ts';

const clauses = readClauses();
const citations = readCitations();
const assertions = clauses.flatMap((clause) => clause.assertions);

test('every id that a test cites is of the contract', () => {
  expect(citations.length).toBeGreaterThan(50);
  // A unit test may name a whole clause; it then proves none of its assertions.
  const known = new Set([...clauses, ...assertions].map(({ id }) => id));
  const unknown = citations.flatMap(({ file, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${id} in ${file}`),
  );
  expect(unknown).toEqual([]);
});

test('what is proven here is not said to be built later', () => {
  const later = new Set(assertions.filter(({ by }) => by !== undefined).map(({ id }) => id));
  expect(citations.flatMap(({ ids }) => ids).filter((id) => later.has(id))).toEqual([]);
});

test('no assertion is both proven and a known gap', () => {
  const gaps = citations.filter(({ kind }) => kind === 'lacks').flatMap(({ ids }) => ids);
  const proven = new Set(citations.filter(({ kind }) => kind !== 'lacks').flatMap(({ ids }) => ids));
  expect(gaps.filter((id) => proven.has(id))).toEqual([]);
});

describe('how a clause stands', () => {
  const [clause] = parseClauses('### MSG-90 Words\n\n- **MSG-90a** [rpc http] One.\n- **MSG-90b** [by crews] Two.\n');
  const stands = (source: string) => standings([clause!], parseCitations('a.test.ts', source), [])[0]!;

  test('an assertion through all its doors is proven, one that is built later is missing', () => {
    expect(stands(`proves('MSG-90a', 'it holds', async () => {});`)).toEqual({
      id: 'MSG-90',
      proven: false,
      doors: ['rpc', 'http', 'cli', 'mcp'],
      tests: ['a.test.ts > MSG-90a it holds'],
      missing: ['MSG-90b'],
      because: 'MSG-90b is built with crews',
    });
  });

  test('a door without a test is named', () => {
    const source = `proves('MSG-90a', 'it holds', async () => {}, { doors: ['rpc'], because: '' });`;
    expect(stands(source.replace(`, because: ''`, '')).because).toContain('MSG-90a has no test through http');
  });

  test('a known gap proves nothing, and says why', () => {
    const source = `lacks('MSG-90a', 'it holds', async () => {}, { doors: ['rpc'], because: "it’s slow" });`;
    expect(stands(source)).toMatchObject({ tests: [], missing: ['MSG-90a', 'MSG-90b'] });
    expect(stands(source).because).toContain('MSG-90a is a known gap: it’s slow');
  });

  test('a test that failed when it was last run proves nothing', () => {
    const results = [{ file: 'a.test.ts', title: 'MSG-90a it holds rpc', passed: false }];
    const read = parseCitations('a.test.ts', `proves('MSG-90a', 'it holds', async () => {});`);
    expect(standings([clause!], read, results)[0]!.missing).toEqual(['MSG-90a', 'MSG-90b']);
  });

  test('titles of plain tests are read, several ids among them', () => {
    const source = `test.each(cells)('MSG-90a, MSG-90b $rpc holds', () => {});\ntest('MSG-5 is no assertion', () => {});`;
    expect(parseCitations('a.test.ts', source)).toMatchObject([
      { ids: ['MSG-90a', 'MSG-90b'], title: '$rpc holds', kind: 'test' },
      { ids: ['MSG-5'] },
    ]);
  });

  test('a line that is nearly right is an error', () => {
    expect(() => parseClauses('### MSG-90 Words\n- **MSG-91a** [rpc] One.')).toThrow('MSG-91a is not of MSG-90');
    expect(() => parseClauses('### MSG-90 Words\n- **MSG-90a** [fax] One.')).toThrow('fax is no door');
    expect(() => parseClauses('### MSG-90 Words\n- MSG-90a One.')).toThrow('is no assertion');
  });
});
