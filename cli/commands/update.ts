import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../bridge/client/index.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { whereIs } from '../../bridge/socket/where.ts';
import { command } from '../command.ts';
import type { Io } from '../context.ts';
import { packageFolder } from '../plugins/package-folder.ts';

export const update = command({
  description: 'By npm, where this version is. Where the server is another installation, update that one first.',
  options: {},
  operand: { name: 'VERSION', summary: 'As npm names it; without it, the newest', optional: true },
  examples: ['agentworks update', 'agentworks update 0.2.0'],
  async run({ io, face, globals }, _given, version = 'latest') {
    const outcome = await updateAt(packageFolder(), version, io, globals.config);
    face.document(outcome, () => ({
      columns: [{ title: 'BEFORE' }, { title: 'NOW' }],
      rows: [[outcome.before, outcome.now]],
    }));
    face.say(
      outcome.isBridgeRestarted
        ? 'The bridge runs on the installed version.'
        : 'No bridge was running; the next one that starts is of this version.',
    );
  },
});

const run = promisify(execFile);

/** Updates the installation in `folder` by npm, and restarts its bridge by its own new program. */
export async function updateAt(folder: string, wanted: string, io: Pick<Io, 'env'>, config?: string) {
  if (!/^[0-9A-Za-z][0-9A-Za-z.+-]*$/.test(wanted))
    throw new Refusal('BAD_FIELD', `${wanted} is no version. Write it as in: agentworks update 0.2.0`, {
      subject: 'VERSION',
    });
  const prefix = prefixOf(folder);
  const before = versionIn(folder);
  await runNpm(['install', '--global', '--prefix', prefix, `agentworks@${wanted}`], io);
  const isRunning = (await findBridge(whereIs(io.env, config))) !== undefined;
  if (isRunning) {
    const program = join(folder, 'bin', 'agentworks.cjs');
    const named = config === undefined ? [] : ['--config', config];
    await run(process.execPath, [program, 'bridge', 'restart', ...named], { env: io.env });
  }
  return { before, now: versionIn(folder), isBridgeRestarted: isRunning };
}

/** npm's prefix of a global installation. */
function prefixOf(folder: string): string {
  if (existsSync(join(folder, 'cli', 'entry.ts')))
    throw new Refusal(
      'NOT_ALLOWED',
      `This runs from the clone ${folder}. Bring it up by git pull and npm ci, then: agentworks bridge restart`,
      { subject: folder },
    );
  const modules = dirname(folder);
  const above = dirname(modules);
  const isGlobal = process.platform === 'win32' || basename(above) === 'lib';
  if (basename(modules) === 'node_modules' && isGlobal) return process.platform === 'win32' ? above : dirname(above);
  throw new Refusal(
    'NOT_ALLOWED',
    `${folder} is not a global installation of npm's. Update it by whatever put it there, then: agentworks bridge restart`,
    { subject: folder },
  );
}

async function runNpm(args: readonly string[], { env }: Pick<Io, 'env'>): Promise<void> {
  try {
    await run('npm', args, { env, shell: process.platform === 'win32' });
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string | number; stderr?: string };
    const why = code === 'ENOENT' ? 'npm is not on PATH' : stderr.trim().split('\n').slice(0, 3).join(' ');
    throw new Refusal('UNAVAILABLE', `npm ${args.join(' ')} failed: ${why}`);
  }
}

const versionIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
