import assert from 'node:assert/strict';
import { bundlePage, openBrowser, servePage } from './trial/page.ts';
import { outputOf, Program, saidBy } from './trial/program.ts';

/** Starts a server, gives each example a connection of its own, and runs it: every example checks itself. */
const node = process.execPath;
const program = new Program([node, 'bin/agentworks.cjs']);
const html = await bundlePage('examples/browser.html');
const [known, foreign] = [await servePage(html), await servePage(html)];
let failures = 0;

try {
  const { url, socket } = await program.serve({
    AGENTWORKS_ALLOWED_ORIGINS: known.origin,
    AGENTWORKS_LOG_LEVEL: 'warn',
  });
  await program.run('login');

  const start = async (name: string, ...command: string[]) =>
    program.start(command, { SERVER: socket, SECRET: await program.secret(name) });

  await example('ask.ts and answer.ts', async () => {
    const source = '--conditions=agentworks-source';
    const answer = await start('answer', node, source, 'examples/answer.ts');
    await saidBy(answer, /adder is listening/);
    assert.match(await outputOf(await start('ask', node, source, 'examples/ask.ts')), /adder says 5/);
  });

  await example('grpc.ts', async () => {
    assert.match(await outputOf(await start('grpc', node, 'examples/grpc.ts')), /carol says Hello from gRPC\./);
  });

  await example('curl.sh', async () => {
    assert.match(await outputOf(await start('curl', 'sh', 'examples/curl.sh')), /Hello from curl\./);
  });

  await example('browser.html', async () => {
    await using browser = await openBrowser();
    const secret = await program.secret('page');
    const visit = async (origin: string) => {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.getByLabel('Server').fill(url);
      await page.getByLabel('Secret').fill(secret);
      await page.getByRole('button').click();
      return page;
    };
    await (await visit(known.origin)).getByText('grace: Hello from a page.').waitFor({ timeout: 20_000 });
    // The browser itself keeps the answer from a page that the server was not told of.
    await (await visit(foreign.origin)).getByText('Unknown: Failed to fetch').waitFor({ timeout: 20_000 });
  });
} finally {
  known.close();
  foreign.close();
  await program.close();
}
process.exitCode = failures === 0 ? 0 : 1;

async function example(name: string, run: () => Promise<void>): Promise<void> {
  const begun = performance.now();
  try {
    await run();
    console.log(`ok    ${name}  ${Math.round(performance.now() - begun)} ms`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}\n${(error as Error).stack}`);
  }
}
