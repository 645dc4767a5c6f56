import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBridge } from './trial/bridge.ts';
import { installGlobally, installNode, pack } from './trial/npm.ts';
import { Program, saidBy, stop } from './trial/program.ts';
import { useFromPrograms } from './trial/sdk.ts';

/** Packs the npm package, installs it where nothing else is, and uses it on each Node that it is meant for. */
const folder = mkdtempSync(join(tmpdir(), 'agentworks-package-'));
/** An eighth of it is what draws screens, which only a terminal loads; a quarter, OAuth and MCP, only a server. */
const MOST_KIB = 1_250;

try {
  const { tarball, kib, files } = pack(folder);
  console.log(`packed ${files.length} files, ${kib} KiB`);
  assert(kib <= MOST_KIB, `the tarball has ${kib} KiB; it may have ${MOST_KIB}`);
  const stray = files.filter(
    (file) => !/^(bin\/agentworks\.cjs|dist\/|plugins\/claude\/|package\.json$|README\.md$|LICENSE$)/.test(file),
  );
  assert.deepEqual(stray, []);

  for (const major of ['22', '24']) {
    const path = installNode(folder, major);
    const prefix = join(folder, `prefix-${major}`);
    const { said, packages } = installGlobally(tarball, prefix, path);
    assert.doesNotMatch(said, /EBADENGINE|deprecated|ERESOLVE/, said);
    const version = await use(join(prefix, 'bin', 'agentworks'), tarball, path);
    assert.match(version, new RegExp(`^${major}\\.`));
    console.log(`Node ${version}: ${packages} packages, ${said.split('\n').length} lines, everything was used`);
    if (major === '24') {
      // The same installation, started by a Node that is too old: it runs on the one that came with it.
      const found = await use(join(prefix, 'bin', 'agentworks'), undefined, installNode(folder, '20'));
      console.log(`started by Node 20: ran on ${found}`);
    }
    rmSync(prefix, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** From an empty data folder to a message that is printed; answers which Node ran it. */
async function use(command: string, tarball: string | undefined, path: string): Promise<string> {
  const program = new Program([command], { PATH: path });
  try {
    const { socket } = await program.serve({ AGENTWORKS_LOG_LEVEL: 'warn' });
    await program.run('login');
    await program.run('messages', 'register', '--agent', 'alice');
    await program.run('messages', 'register', '--agent', 'bob');
    const watch = program.start(program.line('messages', 'watch', '--agent', 'bob'));
    await program.run(
      'messages',
      'send',
      '--agent',
      'alice',
      '--target',
      'agent:bob',
      '--message',
      'The build is green.',
    );
    await saidBy(watch, /The build is green\./);
    await stop(watch);
    await useBridge(program);
    if (tarball !== undefined) await useFromPrograms(program, socket, tarball, path);
    return await nodeOf(program);
  } finally {
    await program.close();
  }
}

async function nodeOf(program: Program): Promise<string> {
  const { checks } = JSON.parse(await program.run('doctor', '--json')) as {
    checks: readonly { name: string; state: string; found: string }[];
  };
  assert.deepEqual(
    checks.filter(({ state }) => state === 'fail'),
    [],
  );
  return checks.find(({ name }) => name === 'node')!.found;
}
