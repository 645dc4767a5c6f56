import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, mutants } from './mutants/list.ts';

/**
 * Plants known bugs, one at a time, in a copy of the tree, and runs the test that should notice: a promise that no bug
 * can break is not tested. `npm run mutants`, with part of a name for some of them, or `--sample 3` for a few that change
 * from commit to commit.
 */
const [words, sample] = readArguments(process.argv.slice(2));
const chosen = choose(mutants.filter(({ name }) => words.every((word) => name.includes(word))));
const folder = copyTree();
const sound = new Map<string, boolean>();
const begun = performance.now();
const count = { caught: 0, missed: 0, broken: 0 };
for (const mutant of chosen) {
  const { outcome, because } = tryOut(mutant);
  count[outcome]++;
  say(`${outcome === 'caught' ? 'caught' : outcome.toUpperCase()}  ${mutant.name}  (${because})`);
}
rmSync(folder, { recursive: true });
const seconds = Math.round((performance.now() - begun) / 1000);
say(`mutants=${chosen.length} caught=${count.caught} missed=${count.missed} broken=${count.broken} seconds=${seconds}`);
if (chosen.length === 0 || count.caught < chosen.length) process.exitCode = 1;

function readArguments(args: string[]): [words: string[], sample: number] {
  const at = args.indexOf('--sample');
  return at < 0 ? [args, Infinity] : [args.toSpliced(at, 2), Number(args[at + 1])];
}

/** As many as asked for, beginning at a place that the commit decides. */
function choose(all: readonly Mutant[]): readonly Mutant[] {
  if (sample >= all.length) return all;
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout.slice(0, 8);
  const start = Number.parseInt(commit || '0', 16) % all.length;
  return Array.from({ length: sample }, (_, n) => all[(start + n) % all.length]!);
}

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'agentworks-mutants-'));
  const needed = ['server', 'bridge', 'cli', 'gen', 'proto', 'docs', 'test'];
  for (const part of [...needed, 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

type Outcome = { readonly outcome: keyof typeof count; readonly because: string };

function tryOut({ file, from, to, test, project = 'fast', title }: Mutant): Outcome {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const parts = text.split(from);
  if (parts.length !== 2) return { outcome: 'broken', because: `${file} holds its place ${parts.length - 1} times` };
  if (!passes(project, test, title)) return { outcome: 'broken', because: `${test} fails without a bug` };
  writeFileSync(path, parts.join(to));
  try {
    return run(project, test, title);
  } finally {
    writeFileSync(path, text);
  }
}

/** Asked once for each test, however many bugs it is to notice; a busy computer gets a second chance. */
function passes(project: string, test: string, title: string | undefined): boolean {
  const key = `${project} ${test} ${title}`;
  const isGreen = () => run(project, test, title).outcome === 'missed';
  const known = sound.get(key) ?? (isGreen() || isGreen());
  sound.set(key, known);
  return known;
}

function run(project: string, test: string, title: string | undefined): Outcome {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const args = ['run', '--project', project, '--bail', '1', '--reporter', 'json', '--outputFile', report, test];
  const entry = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const { error } = spawnSync(process.execPath, [entry, ...args, ...(title === undefined ? [] : ['-t', title])], {
    cwd: folder,
    stdio: 'ignore',
    timeout: 120_000,
    env: { ...process.env, FC_SEED: '1' },
  });
  if (error !== undefined) return { outcome: 'caught', because: `${test} did not end` };
  if (!existsSync(report)) return { outcome: 'broken', because: `${test} left no report` };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  if (failed !== undefined) return { outcome: 'caught', because: failed.fullName };
  // A file that cannot even be read proves nothing about its tests.
  const ran = testResults.some(({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed'));
  return ran ? { outcome: 'missed', because: test } : { outcome: 'broken', because: `${test} ran no test` };
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
