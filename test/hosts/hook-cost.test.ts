import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { Installed } from '../plugins/claude-hook.ts';

const ROUNDS = 60;
const TRIES = 4;

/** A bridge on a thread of its own: the test's own thread waits for each hook. */
const answering = (socket: string) =>
  new Worker(
    `const { createServer } = require('node:http');
     const { parentPort } = require('node:worker_threads');
     const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(200).end()));
     server.listen(${JSON.stringify(socket)}, () => parentPort.postMessage('ready'));`,
    { eval: true },
  );

/** Middle of what each takes over starting \`/bin/sh\`, in ms. One is run after the other, so that the load is alike. */
function costs(installed: Installed, sessions: readonly string[]): number[] {
  const { hooks } = JSON.parse(readFileSync('plugins/claude/hooks/hooks.json', 'utf8')) as {
    hooks: { Stop: [{ hooks: [{ command: string }] }] };
  };
  const run = (line: string, session: string): number => {
    const env = { PATH: '/usr/bin:/bin', CLAUDE_PLUGIN_ROOT: installed.plugin, CLAUDE_CODE_SESSION_ID: session };
    const start = performance.now();
    spawnSync('/bin/sh', ['-c', line], { env, input: '{"stop_hook_active":false}\n' });
    return performance.now() - start;
  };
  const rounds = Array.from({ length: ROUNDS }, () => [
    run(':', ''),
    ...sessions.map((session) => run(hooks.Stop[0].hooks[0].command, session)),
  ]);
  const [bare = 0, ...middles] = rounds[0]!.map((_, at) => median(rounds.map((round) => round[at]!)));
  return middles.map((middle) => middle - bare);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

test('RTE-8b a hook costs little: nearly nothing in a chat that is not attached', async () => {
  await using installed = new Installed();
  const bridge = answering(installed.socket);
  try {
    await new Promise((done) => bridge.once('message', done));
    installed.attach('attached-one');
    const [unattached, byCurl] = best(() => costs(installed, ['another-one', 'attached-one']), [5, 20]);
    installed.install({ curl: '' });
    const [byNode] = best(() => costs(installed, ['attached-one']), [65]);
    const figures = { unattached, byCurl, byNode };
    console.log(
      'ms over /bin/sh:',
      JSON.stringify(figures, (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value)),
    );
    expect(unattached).toBeLessThanOrEqual(5);
    expect(byCurl).toBeLessThanOrEqual(20);
    expect(byNode).toBeLessThanOrEqual(65);
  } finally {
    await bridge.terminate();
  }
});

/** Whatever else the machine does only adds: what was least is nearest to the truth. Ends once it is within the bounds. */
function best(measure: () => number[], bounds: readonly number[]): number[] {
  let least = measure();
  for (let tries = 1; tries < TRIES && least.some((value, at) => value > bounds[at]!); tries++) {
    const again = measure();
    least = least.map((value, at) => Math.min(value, again[at]!));
  }
  return least;
}
