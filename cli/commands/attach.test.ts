import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AttachOrigin } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import {
  Activity,
  type AttachRequest,
  type DetachRequest,
  type Session,
  SessionSchema,
} from '#gen/agentworks/bridge/v1/local_pb.ts';
import { processKey } from '../../bridge/sessions/process-key.ts';
import { newCli } from '../../test/world/cli-run.ts';
import { stubBridge } from '../../test/world/stub-bridge.ts';
import { exitCodes, INTERRUPTED, USAGE } from '../exit-codes.ts';

let folder: string;
let env: Record<string, string>;
let sessions: Session[];
let attached: AttachRequest[];
let detached: DetachRequest[];
let bridge: AsyncDisposable;
let cli: ReturnType<typeof newCli>;

const session = (at: number, more: MessageInitShape<typeof SessionSchema> = {}): Session =>
  create(SessionSchema, {
    sessionKey: `key-${at}`,
    sessionId: `id-${at}`,
    provider: 'claude',
    folder: `/home/alice/project-${at}`,
    title: `chat ${at}`,
    activity: Activity.IDLE,
    route: 'claude-socket',
    hasPlugin: true,
    ...more,
  });

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentworks-attach-')));
  chmodSync(folder, 0o700);
  env = {
    HOME: folder,
    PATH: '/usr/bin:/bin',
    XDG_RUNTIME_DIR: folder,
    AGENTWORKS_CONFIG: join(folder, 'config', 'config.json'),
    AGENTWORKS_KEYRING: 'off',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  [sessions, attached, detached] = [[session(1), session(2), session(3)], [], []];
  bridge = await stubBridge(env, {
    listSessions: () => ({ sessions }),
    attach(request) {
      attached.push(request);
      const chosen = sessions.find(({ sessionKey }) => sessionKey === request.sessionKey) ?? session(9);
      const agentName = request.agentName || `name-of-${chosen.sessionKey}`;
      return { session: { ...chosen, agentName }, notices: ['A restart brings the tools.'] };
    },
    detach(request) {
      detached.push(request);
      return { agentName: request.agentName || `name-of-${request.sessionKey}` };
    },
  });
  cli = newCli(folder);
});

afterEach(async () => {
  await bridge[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Typed by a person, line by line, as it is asked for. */
function typing(...lines: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(lines.map((line) => `${line}\n`).join(''));
  return { env: { ...env, TERM: 'dumb' }, isTerminal: true, columns: 100, stdin };
}

/** This very process, as Claude Code registers one: what runs in it then runs in a chat. */
function registerAsHost(sessionId: string): void {
  mkdirSync(join(folder, '.claude', 'sessions'), { recursive: true, mode: 0o700 });
  const { pid } = process;
  const procStart = processKey(pid)!.startTime;
  const registration = { pid, sessionId, cwd: folder, procStart, status: 'busy' };
  writeFileSync(join(folder, '.claude', 'sessions', `${pid}.json`), JSON.stringify(registration), { mode: 0o600 });
}

describe('in a terminal', () => {
  test('ATT-1c a person attaches the chat they choose, and gets told its name and what needs a restart', async () => {
    const { code, out, err } = await cli(['attach', 'bob'], typing('2'));
    expect(code).toBe(0);
    expect(attached).toMatchObject([{ agentName: 'bob', origin: AttachOrigin.TERMINAL, sessionKey: 'key-2' }]);
    expect(attached[0]!.asker).toBeUndefined();
    expect(out).toContain('bob');
    expect(err).toContain('1. Claude Code, chat 1, in /home/alice/project-1, idle');
    expect(err).toContain('A restart brings the tools.');
  });

  test('ATT-1a.1 what a wake means is said before anything is attached', async () => {
    const { err } = await cli(['attach'], typing('')); // leaves
    expect(attached).toEqual([]);
    expect(err).toContain('under the model, approvals and sandbox that this chat has');
  });

  test('one live chat is attached at once', async () => {
    sessions = [session(1)];
    expect((await cli(['attach'], typing())).code).toBe(0);
    expect(attached).toMatchObject([{ agentName: '', sessionKey: 'key-1' }]);
  });

  test('leaving the question attaches nothing', async () => {
    expect((await cli(['attach'], typing(''))).code).toBe(INTERRUPTED);
    expect((await cli(['attach'], typing())).code).toBe(INTERRUPTED);
    expect(attached).toEqual([]);
  });

  test('ATT-5b all of them takes the very count that was shown', async () => {
    const { err } = await cli(['attach'], typing('all', 'all 4', 'all 3'));
    expect(err.match(/To choose all of them, type: all 3/g)).toHaveLength(2);
    expect(attached.map(({ sessionKey }) => sessionKey)).toEqual(['key-1', 'key-2', 'key-3']);
  });

  test('what is no number of the list is said, and asked again', async () => {
    const { err } = await cli(['attach'], typing('7', 'x', '1,3'));
    expect(err).toContain('The list goes from 1 to 3.');
    expect(err).toContain('"x" is no number of the list.');
    expect(attached.map(({ sessionKey }) => sessionKey)).toEqual(['key-1', 'key-3']);
  });

  test('one name does not go to several chats', async () => {
    expect((await cli(['attach', 'bob'], typing('1 2'))).code).toBe(USAGE);
    expect(attached).toEqual([]);
  });

  test.each([[['--session', 'id-2']], [['--session', 'key-2']]])(
    '%j names the chat, and nobody is asked',
    async (named) => {
      expect((await cli(['attach', ...named], typing())).code).toBe(0);
      expect(attached).toMatchObject([{ sessionKey: 'key-2' }]);
    },
  );

  test('a session that is not live is refused, never guessed', async () => {
    for (const named of [
      ['--session', 'id'],
      ['--native-pid', '4711'],
      ['--session', 'id-2', '--native-pid', '4711'],
    ])
      expect((await cli(['attach', ...named], typing('1'))).code).toBe(exitCodes.NOT_FOUND);
    expect(attached).toEqual([]);
  });

  test('a title that another program wrote is shown inert', async () => {
    sessions = [session(1, { title: 'a\u001b[2Jb\u202e' }), session(2)];
    expect((await cli(['attach'], typing(''))).err).toContain('Claude Code, a\ufffdb\ufffd, in');
  });

  test('no live chat: it says how to begin', async () => {
    sessions = [];
    const { code, err } = await cli(['attach'], typing());
    expect({ code, hint: err.includes('agentworks attach') }).toEqual({ code: exitCodes.NOT_FOUND, hint: true });
  });

  test('detach asks which, and takes a name without asking', async () => {
    sessions = [session(1), session(2, { agentName: 'bob' })];
    const { err } = await cli(['detach'], typing('1'));
    expect(err).toContain('1. Claude Code, chat 2, in /home/alice/project-2, attached as bob');
    await cli(['detach', 'carol'], typing());
    expect(detached).toMatchObject([{ sessionKey: 'key-2' }, { agentName: 'carol' }]);
  });
});

const ran = () => readFileSync(join(folder, 'ran'), 'utf8');

describe('ATT-5a a missing plugin', () => {
  beforeEach(() => {
    sessions = [session(1, { hasPlugin: false, folder })];
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'ran'), '');
    const script = `#!/bin/sh\necho "$@" >> ${folder}/ran\ncase "$*" in *--version*) echo "2.1.332 (Claude Code)";; *--json*) echo "[]";; esac\n`;
    writeFileSync(join(folder, 'bin', 'claude'), script, { mode: 0o755 });
    env['PATH'] = `${join(folder, 'bin')}:${env['PATH']}`;
  });

  test('ATT-5a, ATT-12c it is installed after naming the host, the folder and what changes, and a yes; the person is told what needs a restart', async () => {
    const { err } = await cli(['attach'], typing('y'));
    expect(err).toContain(`Our plugin for Claude Code is not installed for ${folder}. Installing it will:`);
    expect(ran()).toContain('plugin install agentworks');
    expect(err).toContain('This chat has it once it is started again; what works without it works now.');
    expect(attached).toHaveLength(1);
  });

  test.each(['n', ''])('is not installed at the answer %j, and the chat is attached all the same', async (answer) => {
    const { err } = await cli(['attach'], typing(answer));
    expect(err).toContain('agentworks plugins install claude');
    expect(ran()).not.toContain('plugin install');
    expect(attached).toHaveLength(1);
  });

  test('is only spoken of where nobody can be asked', async () => {
    const { err } = await cli(['attach'], { env });
    expect(err).toContain('agentworks plugins install claude');
    expect(ran()).toBe('');
    expect(attached).toHaveLength(1);
  });
});

describe('in a pipe', () => {
  test('nobody is asked: the option that answers is named', async () => {
    const { code, out, err } = await cli(['attach'], { env });
    expect({ code, out }).toEqual({ code: USAGE, out: '' });
    expect(err).toContain('--session KEY');
    expect(err).toContain('key-2  Claude Code, chat 2');
    expect(attached).toEqual([]);
  });

  test('a session that is named is attached, and the answer is the one of the API', async () => {
    const { out, err } = await cli(['attach', 'bob', '--session', 'key-3', '--json'], { env });
    expect(JSON.parse(out)).toMatchObject({ session: { agentName: 'bob', sessionKey: 'key-3' } });
    expect(err).toBe('');
  });

  test('detach names what could be detached', async () => {
    sessions = [session(1, { agentName: 'bob' })];
    const { code, err } = await cli(['detach'], { env });
    expect({ code, isNamed: err.includes('Attached: bob') }).toEqual({ code: USAGE, isNamed: true });
  });
});

describe('in a chat of a coding host', () => {
  beforeEach(() => {
    registerAsHost('id-9-of-the-chat');
    env['CLAUDECODE'] = '1';
    env['CLAUDE_CODE_SESSION_ID'] = 'id-9-of-the-chat';
  });

  test('ATT-4a, ATT-1c an agent attaches its own chat, by its ancestry, and is shown no list', async () => {
    const { code, err } = await cli(['attach', 'bob'], typing('2'));
    expect(code).toBe(0);
    expect(attached).toMatchObject([
      {
        agentName: 'bob',
        origin: AttachOrigin.OWN,
        sessionKey: '',
        asker: { provider: 'claude', pid: BigInt(process.pid), sessionId: 'id-9-of-the-chat' },
      },
    ]);
    expect(err).not.toContain('chat 1');
  });

  test('ATT-4a, ATT-4d overrides are refused, and so is the detach of another chat', async () => {
    for (const line of [
      ['attach', '--session', 'key-1'],
      ['attach', 'bob', '--native-pid', '1'],
      ['detach', 'alice'],
    ])
      expect((await cli(line, typing('1'))).code).toBe(exitCodes.NOT_ALLOWED);
    expect({ attached, detached }).toEqual({ attached: [], detached: [] });
  });

  test('ATT-4d its own detach names its own chat and nothing else', async () => {
    expect((await cli(['detach'], typing('1'))).code).toBe(0);
    expect(detached).toMatchObject([{ agentName: '', sessionKey: '', asker: { pid: BigInt(process.pid) } }]);
  });

  test('ATT-4a a shell that says it is a chat’s and runs below none is told what is missing', async () => {
    rmSync(join(folder, '.claude'), { recursive: true });
    const { code, err } = await cli(['attach'], typing('1'));
    expect(code).toBe(exitCodes.NOT_ALLOWED);
    expect(err).toContain('no live session is above it');
    expect(attached).toEqual([]);
  });
});
