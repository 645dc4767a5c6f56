import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installLibrary } from './npm.ts';
import { outputOf, type Program, saidBy, stop } from './program.ts';

/** Types that are not there, or are `any`, do not compile here. */
const TYPED = `
import { connect, Refusal, type AgentWorks, type ReasonName } from 'agentworks/client';
const works: AgentWorks = connect({ address: 'https://agents.example.com', secret: 's' });
const { messageId } = await works.send({ target: 'agent:bob', body: 'hi' });
const id: string = messageId;
// @ts-expect-error a body is text
await works.send({ target: 'agent:bob', body: 1 });
for await (const { messages, nextCursor } of works.watchMailbox('bob')) for (const { body } of messages) [body.length, nextCursor.length];
const reason: ReasonName | undefined = await works.agents.list({}).then(() => undefined, (error) => error instanceof Refusal ? error.reason : undefined);
// @ts-expect-error no such reason
const wrong: ReasonName = 'NO_SUCH_REASON';
export { id, reason, wrong };
`;

const COMPILER = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'esnext.disposable', 'dom'],
  types: [],
};

/** The client library, from a project that has nothing but it: as JavaScript, as CommonJS, and as TypeScript. */
export async function useFromPrograms(program: Program, server: string, tarball: string, path: string): Promise<void> {
  const folder = join(program.folder, 'project');
  installLibrary(tarball, folder, path);
  for (const file of ['ask.ts', 'answer.ts']) cpSync(join('examples', file), join(folder, file));
  const start = async (file: string) =>
    program.start(['node', join(folder, file)], { SERVER: server, SECRET: await program.secret(file) });
  const answer = await start('answer.ts');
  await saidBy(answer, /adder is listening/);
  assert.match(await outputOf(await start('ask.ts')), /adder says 5/);
  await stop(answer);

  const required = ['-p', `typeof require('agentworks/client').connect`];
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: path } } as const;
  assert.equal(execFileSync('node', ['--input-type=commonjs', ...required], options).trim(), 'function');

  const [, readme] = /^```ts\n([^]*?agentworks\/client[^]*?)^```/m.exec(readFileSync('README.md', 'utf8'))!;
  writeFileSync(join(folder, 'typed.ts'), TYPED);
  writeFileSync(join(folder, 'readme.ts'), readme!);
  for (const module of ['nodenext', 'preserve'])
    execFileSync(resolve('node_modules/.bin/tsc'), ['-p', configOf(folder, module)], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
}

function configOf(folder: string, module: string): string {
  const file = join(folder, `tsconfig.${module}.json`);
  writeFileSync(file, JSON.stringify({ compilerOptions: { ...COMPILER, module }, files: ['typed.ts', 'readme.ts'] }));
  return file;
}
