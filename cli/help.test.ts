import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { newCli } from '../test/world/cli-run.ts';
import { commands, everyEntry, isNoun } from './commands.ts';

const cli = newCli('/nowhere');

const lines = [...everyEntry()].flatMap(([words, entry]) => (isNoun(entry) ? [] : [[words.join(' '), entry] as const]));

test.each(lines)(
  'agentworks %s --help says what it does, with examples and every shared option',
  async (words, verb) => {
    const { code, out, err } = await cli([...words.split(' '), '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`${verb.summary}.`);
    expect(out).toMatch(/EXAMPLES\n {2}\S/);
    for (const option of ['--config', '--json', '--accessible']) expect(out).toContain(option);
    for (const example of (await verb.load()).examples) expect(out).toContain(example);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(150);
  },
);

test.each(lines)('every example of agentworks %s is a command line that is understood', async (_words, verb) => {
  const { examples } = await verb.load();
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(example).toContain('agentworks');
});

test('help without more, and the name alone, list every command', async () => {
  for (const argv of [[], ['help'], ['--help'], ['-h']]) {
    const { code, out } = await cli(argv);
    expect(code).toBe(0);
    for (const [name, { summary }] of Object.entries(commands)) {
      expect(out).toContain(name);
      expect(out).toContain(summary);
    }
  }
});

test('help NOUN VERB is NOUN VERB --help', async () => {
  expect(await cli(['help', 'messages', 'send'])).toEqual(await cli(['messages', 'send', '--help']));
});

test('help says what each value is called, and nothing of a switch that is off', async () => {
  const { out } = await cli(['messages', 'register', '--help']);
  expect(out).toContain('\n      --agent NAME            ');
  expect(out).toMatch(/\n {5}\[--allow-connection ID\]\.\.\. {2}Another/);
  expect(out).toContain('[--config PATH]');
  expect(out).toMatch(/\[--json\] +Print/);
  expect(out).not.toContain('default');
});

test('--version prints the version', async () => {
  expect(await cli(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
});

test('--help reads no command, no client library and no generated code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentworks-help-'));
  try {
    // The engine itself says which scripts it ran.
    const { stdout } = spawnSync(process.execPath, ['cli/entry.ts', '--help'], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      encoding: 'utf8',
    });
    expect(stdout).toContain('messages');
    const [report] = readdirSync(folder);
    const { result } = JSON.parse(readFileSync(join(folder, report!), 'utf8')) as { result: { url: string }[] };
    const ours = result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
    expect(ours.some((url) => url.endsWith('/cli/main.ts'))).toBe(true);
    expect(ours.filter((url) => /\/cli\/commands\/|\/gen\/|\/bridge\/|connectrpc|bufbuild/.test(url))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
