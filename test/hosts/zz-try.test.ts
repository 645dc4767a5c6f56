import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Chat } from './claude/chat.ts';
import { FakeModel } from './claude/model.ts';
import { claudeProgram } from './claude/program.ts';
import { Computer } from './computer.ts';

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

for (const mode of ['bypassPermissions'])
  test(`try ${mode}`, async () => {
    const found = await claudeProgram();
    const path = 'path' in found ? found.path : '';
    const computer = await Computer.open();
    const model = await FakeModel.open();
    const out: string[] = [];
    try {
      writeFileSync(join(computer.home, '.claude.json'), JSON.stringify({ bypassPermissionsModeAccepted: true }));
      await using chat = await Chat.open(computer, model, path, ['--permission-mode', mode]);
      const { messagingSocketPath, sessionId } = chat.session;
      const own = join(dirname(messagingSocketPath), `${process.pid}.sock`);
      rmSync(own, { force: true });
      const before = process.umask(0o177);
      const server = createServer((socket) => {
        socket.on('data', (data: Buffer) => out.push(`RECEIPT ${data.toString()}`));
      });
      await new Promise<void>((done) => server.listen(own, done));
      process.umask(before);
      const frame = {
        type: 'user',
        session_id: sessionId,
        msg_id: '11111111-1111-4111-8111-111111111111',
        from: `uds:${own}`,
        priority: 'next',
        message: { role: 'user', content: '[AgentWorks abcdefghijklmnop] A message\nmessage_id: msg_1\n| hello there' },
      };
      await new Promise<void>((done) => {
        const socket = connect(messagingSocketPath, () => socket.end(`${JSON.stringify(frame)}\n`));
        socket
          .once('close', () => done())
          .once('error', (error) => {
            out.push(String(error));
            done();
          })
          .resume();
      });
      await wait(6000);
      out.push(await chat.screen());
      await chat.press('Down');
      await chat.press('Enter');
      await wait(4000);
      out.push(await chat.screen());
      for (const turn of model.turns) out.push(`TURN ${turn.said.slice(0, 1500)}`);
      out.push(JSON.stringify(model.turns.at(-1)?.everything ?? '').slice(-3000));
      server.close();
    } catch (error) {
      out.push(String(error));
    } finally {
      writeFileSync(`/tmp/c-try-${mode}.txt`, out.join('\n-----\n'));
      await model[Symbol.asyncDispose]();
      await computer[Symbol.asyncDispose]();
    }
    expect(1).toBe(1);
  });
