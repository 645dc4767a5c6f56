import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, expect, test } from 'vitest';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { writeSignIn } from '../../bridge/account/config.ts';
import { findLocalServer, readLoginKey } from '../../bridge/account/local-server.ts';
import { connect } from '../../bridge/client/index.ts';
import { processKey } from '../../bridge/sessions/process-key.ts';
import { openBridge } from '../../bridge/socket/ask.ts';
import { findBridge } from '../../bridge/socket/find.ts';
import { bridgeEnv, nodeFlags } from '../../bridge/socket/start.ts';
import { type Where, whereIs } from '../../bridge/socket/where.ts';
import { cleanUp, newFolder, start, until } from './server-process.ts';

/** An account has at most 100 names; the sender is one of them. */
const CHATS = 99;

const chats: ChildProcess[] = [];
let where: Where | undefined;

afterEach(async () => {
  for (const chat of chats.splice(0)) chat.kill('SIGKILL');
  const running = where === undefined ? undefined : await findBridge(where);
  if (running !== undefined) process.kill(running.pid, 'SIGKILL');
  await cleanUp();
});

/** A process that is registered as a chat. It has no messaging socket, so that its turns alone would bring messages. */
function openChat(home: string): ChildProcess {
  const chat = spawn('sleep', ['600'], { stdio: 'ignore' });
  chats.push(chat);
  const registration = {
    pid: chat.pid,
    sessionId: `many-${chat.pid}`,
    cwd: home,
    procStart: processKey(chat.pid!)?.startTime,
    status: 'idle',
  };
  writeFileSync(join(home, '.claude', 'sessions', `${chat.pid}.json`), JSON.stringify(registration));
  return chat;
}

/** The bridge as it is installed: from source, reading the types away would cost it 50 MiB. */
async function startBuilt(place: Where, env: Record<string, string>) {
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: { bridge: 'bridge/main.ts' },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['@napi-rs/keyring'],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  const bridge = spawn(process.execPath, [...nodeFlags, join(folder, 'bridge.js')], {
    env: bridgeEnv(env),
    stdio: 'ignore',
  });
  chats.push(bridge);
  await until(async () => (await findBridge(place)) !== undefined, 'the bridge answers');
  return { pid: bridge.pid! };
}

const megabytesOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

test('BRG-12 as many chats as an account has names need one bridge process, and less than 110 MiB', async () => {
  const home = newFolder();
  chmodSync(home, 0o700);
  mkdirSync(join(home, '.claude', 'sessions'), { recursive: true, mode: 0o700 });
  const { data } = await start();
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: home, AGENTWORKS_KEYRING: 'off' };
  const client = connect({ address: `unix:${findLocalServer(data).socket}` });
  const { secret, connectionId } = await client.access.login({ loginKey: readLoginKey(data), label: 'many' });
  client.close();
  writeSignIn(env, { server: 'local', data, connectionId, secret });
  where = whereIs(env);
  for (let n = 0; n < CHATS; n += 1) openChat(home);
  const { pid } = await startBuilt(where, env);
  const bridge = await openBridge(where);
  const { sessions } = await bridge.local.listSessions({});
  expect(sessions).toHaveLength(CHATS);
  for (const [n, { sessionKey }] of sessions.entries())
    await bridge.local.attach({ agentName: `agent-${n}`, origin: AttachOrigin.TERMINAL, sessionKey });

  const person = connect({ address: `unix:${findLocalServer(data).socket}`, secret });
  await person.agents.register({ agentName: 'sender' });
  for (let n = 0; n < CHATS; n += 1)
    await person.send({ agentName: 'sender', target: `agent:agent-${n}`, body: 'x'.repeat(1_000) });
  const waiting = async () => (await bridge.local.getStatus({})).status!.sessions.filter((one) => one.waiting === 1);
  await until(async () => (await waiting()).length === CHATS, 'every message waits for its chat');
  const megabytes = megabytesOf(pid);
  console.log(`${CHATS} attached chats: ${Math.round(megabytes)} MiB in one bridge process`);
  expect(megabytes).toBeLessThan(110);
  person.close();
  bridge.close();
});
