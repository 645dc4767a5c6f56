import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

/** What a room may import: `of` for anything, `types` where verbs are handed over by server/compose.ts. */
interface May {
  readonly of?: readonly string[];
  readonly types?: readonly string[];
}

const base = ['server/core', 'server/access', 'server/rpc'];

/** Who may import whom. A new line here is a design decision. */
const rooms: Record<string, May> = {
  'server/core': {},
  'server/migrations': {},
  'server/access': { of: ['server/core'], types: ['server/rpc'] },
  'server/rpc': { of: ['server/core', 'server/access'] },
  'server/nodes': { of: ['server/core'] },
  'server/agents': { of: [...base, 'server/agents/attachments'] },
  'server/agents/attachments': { of: [...base, 'server/agents'] },
  'server/messages': { of: base, types: ['server/agents', 'server/agents/attachments'] },
  // The link is a door: it gives one stream the verbs of messages and attachments.
  'server/link': {
    of: [...base, 'server/agents/attachments', 'server/messages'],
    types: ['server/agents', 'server/nodes'],
  },
  'server/http': { of: ['server/core'] },
  'server/oauth': { of: ['server/core', 'server/http'] },
  // Tools ask our own RPCs through a transport; what they are is data, which the command line reads too.
  'server/mcp': { of: ['server/core', 'server/access', 'server/http', 'server/rpc', 'server/mcp/tools'] },
  'server/mcp/tools': {},
  'server/listener': { of: ['server/core', 'server/http', 'server/rpc'] },
  'bridge/client': {},
  'bridge/account': { of: ['bridge/client'] },
  'bridge/crash-point': {},
  'bridge/link': { of: ['bridge/client', 'bridge/journal', 'bridge/crash-point'] },
  'bridge/journal': { of: ['bridge/client', 'bridge/account', 'bridge/crash-point'] },
  'bridge/log': {},
  'bridge/sessions': { of: ['bridge/client'] },
  'bridge/socket': { of: ['bridge/client', 'bridge/account'] },
  // What the parts of a bridge need of each other is handed over by bridge/compose.ts.
  'bridge/routes': { types: ['bridge/sessions'] },
  'bridge/delivery': {
    of: ['bridge/client', 'bridge/routes'],
    types: ['bridge/journal', 'bridge/link', 'bridge/log', 'bridge/sessions'],
  },
  'bridge/attach': {
    of: ['bridge/client', 'bridge/account'],
    types: ['bridge/delivery', 'bridge/journal', 'bridge/link', 'bridge/log', 'bridge/sessions'],
  },
  'bridge/hooks': {
    of: ['bridge/client', 'bridge/delivery', 'bridge/routes'],
    types: ['bridge/attach', 'bridge/journal', 'bridge/link', 'bridge/log', 'bridge/sessions'],
  },
  'bridge/local': {
    of: ['bridge/client', 'bridge/delivery', 'bridge/sessions'],
    types: ['bridge/attach', 'bridge/journal', 'bridge/link', 'bridge/sessions'],
  },
  cli: { of: ['bridge/client', 'bridge/account', 'bridge/sessions', 'bridge/socket'] },
};

/** Files that stand above their rooms and see them all. */
const composing = new Set([
  'bridge/compose.ts',
  'bridge/daemon.ts',
  'bridge/main.ts',
  'server/compose.ts',
  'server/entities.ts',
  'server/main.ts',
  'server/next-command.ts',
]);

/** SQL lives in stores; these speak to PostgreSQL about itself: locks, health, roles, LISTEN and NOTIFY. */
const isStore = (file: string) => /\/store(\.ts|\/)/.test(file) || /^server\/(core|migrations)\//.test(file);

const files = globSync(['server/**/*.ts', 'bridge/**/*.ts', 'cli/**/*.{ts,tsx}'])
  .filter((file) => !file.endsWith('.test.ts'))
  .toSorted();
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const roomOf = (file: string): string | undefined =>
  Object.keys(rooms)
    .filter((room) => file.startsWith(`${room}/`) || file === `${room}.ts`)
    .toSorted((a, b) => b.length - a.length)[0];

const capabilityOf = (file: string) => file.split('/', 2).join('/');

const imports = [...sources].flatMap(([file, source]) =>
  [...source.matchAll(/^(?:import|export)( type)?[^;]*?\sfrom\s'(\.[^']+)'|import\('(\.[^']+)'\)/gm)].map((found) => ({
    file,
    to: posix.join(posix.dirname(file), found[2] ?? found[3]!),
    isType: found[1] !== undefined,
  })),
);

test('every file lives in a room', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => roomOf(file) === undefined && !composing.has(file))).toEqual([]);
});

test('imports point one way', () => {
  expect(imports.length).toBeGreaterThan(200);
  const wrong = imports.filter(({ file, to, isType }) => {
    const [from, target] = [roomOf(file), roomOf(to)];
    // The version is written down once.
    if (composing.has(file) || from === undefined || from === target || to === 'package.json') return false;
    const { of = [], types = [] } = rooms[from]!;
    return target === undefined || !(of.includes(target) || (isType && types.includes(target)));
  });
  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('no capability reaches into another’s tables', () => {
  const closed = imports.filter(({ to }) => /\/(store|entities)\.ts$|\/store\//.test(to));
  const foreign = closed.filter(({ file, to }) => !composing.has(file) && capabilityOf(file) !== capabilityOf(to));
  expect(foreign.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('SQL is written in stores only', () => {
  const statement = /\.(execute|query)\(|`\s*(select|insert|update|delete|with)\s/i;
  const wrong = [...sources].filter(([file, source]) => !isStore(file) && statement.test(source));
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test('stores decide nothing: they refuse nobody', () => {
  const wrong = [...sources].filter(
    ([file, source]) => /\/store(\.ts|\/)/.test(file) && source.includes('new Problem('),
  );
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test('generated code is imported by its name, never by a path', () => {
  expect(imports.filter(({ to }) => to.startsWith('gen/'))).toEqual([]);
});

test('a file fits a few screens', () => {
  const long = [...sources].filter(([, source]) => source.split('\n').length > 301);
  expect(long.map(([file]) => file)).toEqual([]);
});
