import { Readable } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageSchema, MessageService, type SendRequest } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { newCli } from '../test/world/cli-run.ts';
import { refusing, StubServer } from '../test/world/stub-server.ts';
import { exitCodes } from './exit-codes.ts';

let server: StubServer;
let cli: ReturnType<typeof newCli>;
let reason: Reason | undefined;
let sent: SendRequest | undefined;
const hostile = 'alice\u001b[2J\u202e';

const routes = (router: ConnectRouter) => {
  router.service(MessageService, {
    send: async (request) => {
      if (reason !== undefined) throw refusing(reason, `no: ${hostile}`, { subject: 'target', bound: 7n });
      sent = request;
      return { messageId: 'msg_1', recipients: [{ agentName: 'bob', messageId: 'msg_1', inboxId: 'inb_1' }] };
    },
    read: async () => ({ messages: [message('msg_1')], nextCursor: 'c1' }),
    async *watchMailbox({ after }) {
      yield { messages: [], nextCursor: after };
      yield { messages: [message('msg_1'), message('msg_2')], nextCursor: 'c2' };
      await new Promise(() => {});
    },
  });
  router.service(AgentService, { list: async () => ({ agents: [], nextCursor: '' }) });
};

const message = (messageId: string) =>
  create(MessageSchema, {
    messageId,
    fromAgent: hostile,
    toAgent: 'bob',
    replyAddress: 'inb_2',
    body: 'one\n\ttwo\u001b]52;c;x\u0007',
    contentType: 'text/plain',
    createTime: { seconds: 1_764_590_400n },
  });

beforeEach(async () => {
  reason = undefined;
  sent = undefined;
  server = new StubServer(routes);
  cli = newCli(server.folder, { server: await server.listen(), secret: 'aw1_secret' });
});

afterEach(() => server[Symbol.asyncDispose]());

const terminal = { isTerminal: true, columns: 80 };
const send = ['messages', 'send', '--target', 'agent:bob'];

describe('a refusal', () => {
  test.each(
    Object.entries(exitCodes).filter(
      ([name]) => name !== 'UNSPECIFIED' && name !== 'UNAVAILABLE' && name !== 'DEADLINE_EXCEEDED',
    ),
  )('%s has the exit code %i', async (name, code) => {
    reason = Reason[name as keyof typeof Reason];
    expect((await cli([...send, '--message', 'x'])).code).toBe(code);
  });

  test('is one sentence on stderr, inert, and nothing on stdout', async () => {
    reason = Reason.NOT_FOUND;
    const { out, err } = await cli([...send, '--message', 'x']);
    expect(out).toBe('');
    expect(err).toBe('agentworks: no: alice\ufffd\ufffd. Did you mean bob?\n');
  });

  test('is one line of JSON with --json', async () => {
    reason = Reason.NOT_FOUND;
    const { out, err } = await cli([...send, '--message', 'x', '--json']);
    expect(out).toBe('');
    expect(JSON.parse(err)).toEqual({
      reason: 'NOT_FOUND',
      subject: 'target',
      bound: 7,
      sentence: `no: ${hostile}`,
      suggestions: ['bob'],
    });
    expect(err).not.toContain('\u001b');
    expect(err).not.toContain('\u202e');
  });

  test('OPS-6b no two reasons share an exit code, and none is 0, 1, 2 or above 125', () => {
    const { UNSPECIFIED, ...codes } = exitCodes;
    expect(UNSPECIFIED).toBe(1);
    expect(new Set(Object.values(codes)).size).toBe(Object.values(codes).length);
    for (const code of Object.values(codes)) expect(code >= 10 && code <= 125).toBe(true);
  });

  test('a server that went away is UNAVAILABLE, with the id that makes a repeat safe', async () => {
    await server.stop();
    const { code, err } = await cli([...send, '--message', 'x', '--submission-id', 's1']);
    expect(code).toBe(exitCodes.UNAVAILABLE);
    expect(err).toContain('agentworks server');
  });

  test('without a sign-in every command says how to get one', async () => {
    const { code, err } = await newCli(`${server.folder}/other`)(['agents']);
    expect(code).toBe(exitCodes.SIGNED_OUT);
    expect(err).toContain('agentworks login');
  });
});

describe('a command line that is not understood', () => {
  test.each([
    [['messages', 'send', '--targt', 'agent:bob'], 'There is no option --targt. Did you mean --target?'],
    [['mesages', 'send'], 'There is no command "mesages". Did you mean `messages`?'],
    [['messages', 'read', '--agent', 'bob', '--wait', 'long'], 'wait: long is no whole number'],
    [
      ['messages', 'read', '--agent', 'bob', '--wait', '99999999999'],
      'wait: 99999999999 is out of range; the most is 2147483647',
    ],
    [['messages', 'read', '--agent', 'bob', '--page-size', '0'], 'page-size: 0 is too small; the least is 1'],
    [['messages', 'register'], '--agent needs a value'],
    [['messages', 'receipts'], 'MESSAGE_ID is missing'],
    [['messages', 'receipts', 'a', 'b'], '"b" is one argument too many'],
    [['messages', 'read', '--agent', 'a', '--inbox', 'b'], '--agent or --inbox, not both'],
    [[...send], '--message TEXT'],
    [[...send, '--message', 'a', '--', 'b'], 'Say what to send once'],
    [[...send, '--message', 'a', '--metadata', '[1]'], '--metadata is a JSON object'],
    [
      ['messages', 'register', '--agent', 'a', '--allow-connection', 'none', '--allow-connection', 'c'],
      'cannot stand beside',
    ],
    [['completion', 'tcsh'], 'bash, zsh or fish'],
  ])('%j is exit code 2 and says what is wrong', async (argv, sentence) => {
    const { code, out, err } = await cli(argv);
    expect(err).toContain(sentence);
    expect(out).toBe('');
    expect(code).toBe(2);
    expect(sent).toBeUndefined();
  });

  test('is one line of JSON with --json, and --json after -- is text', async () => {
    const asked = await cli(['messages', 'send', '--json', '--targt', 'x']);
    expect(JSON.parse(asked.err)).toMatchObject({ reason: 'USAGE', bound: 0, suggestions: [] });
    expect((await cli([...send, '--targt', '--', '--json'])).err).toMatch(/^agentworks: /);
  });
});

describe('a message', () => {
  test.each([
    ['--message', [...send, '--message', '-x --json']],
    ['--message=', [...send, '--message=-x --json']],
    ['an argument after --', [...send, '--', '-x --json']],
  ])('comes from %s exactly as typed', async (_what, argv) => {
    expect((await cli(argv)).code).toBe(0);
    expect(sent?.body).toBe('-x --json');
    expect(sent?.submissionId).not.toBe('');
  });

  test.each(['', '--json', '--target=agent:eve', 'one\n--two', '=', 'a=b'])(
    '%j comes after --message= as it is',
    async (body) => {
      expect((await cli([...send, `--message=${body}`])).code).toBe(0);
      expect(sent).toMatchObject({ body, target: 'agent:bob' });
      await cli([...send, '--', `--message=${body}`]);
      expect(sent?.body).toBe(`--message=${body}`);
    },
  );

  test('OPS-6c comes from stdin byte by byte, the last line break and a cut character too', async () => {
    const bytes = Buffer.from('Größe\n');
    const stdin = Readable.from([...bytes].map((byte) => Uint8Array.of(byte)));
    await cli([...send, '--input', '-'], { stdin });
    expect(sent?.body).toBe('Größe\n');
  });

  test('that is no UTF-8 is refused, never mended', async () => {
    const stdin = Readable.from([Uint8Array.of(0xff, 0x41)]);
    const { code, err } = await cli([...send, '--input', '-', '--json'], { stdin });
    expect(code).toBe(exitCodes.BAD_FIELD);
    expect(JSON.parse(err)).toMatchObject({ reason: 'BAD_FIELD', subject: 'body' });
    expect(sent).toBeUndefined();
  });

  test('that never ends is refused with the bound', async () => {
    let chunks = 0;
    const stdin = new Readable({ read: () => void stdin.push(Buffer.alloc(65_536, String((chunks += 1) % 10))) });
    const { code, err } = await cli([...send, '--input', '-', '--json'], { stdin });
    expect(code).toBe(exitCodes.LIMIT_EXCEEDED);
    expect(JSON.parse(err)).toMatchObject({ subject: 'body', bound: 262_144 });
    expect(chunks * 65_536, 'bytes held in memory').toBeLessThan(4 * 1024 * 1024);
  });

  test('options of every command may stand anywhere', async () => {
    for (const argv of [
      ['--json', ...send, '--message', 'x'],
      ['messages', '--json', ...send.slice(1), '--message', 'x'],
    ])
      expect(JSON.parse((await cli(argv)).out)).toMatchObject({ messageId: 'msg_1' });
  });
});

describe('a result', () => {
  test('is the message of the API with --json, its defaults too, and nothing else is said', async () => {
    const { out, err } = await cli(['agents', 'list', '--json'], terminal);
    expect(out).toBe('{"agents":[],"nextCursor":""}\n');
    expect(err).toBe('');
  });

  test('is a line of tabs in a pipe, whole and inert', async () => {
    const { out } = await cli(['messages', 'read', '--agent', 'bob']);
    expect(out).toBe(
      'msg_1\t2025-12-01T12:00:00.000Z\talice\ufffd\ufffd\tbob\tinb_2\t\ttext/plain\tone\\n\\ttwo\ufffd\n',
    );
  });

  test('is a block at a terminal, its body indented and inert', async () => {
    const { out, err } = await cli(['messages', 'read', '--agent', 'bob'], terminal);
    expect(out.split('\n').slice(1)).toEqual([
      '    one',
      '        two\ufffd',
      '  reply: agentworks messages send --agent bob --inbox inb_2 --message TEXT',
      '',
    ]);
    expect(out).toMatch(/^alice\ufffd\ufffd to bob, .* ago, msg_1\n/);
    expect(err).toBe('What comes next: --after c1\n');
  });

  test('that is empty says at a terminal how to begin, and nothing in a pipe', async () => {
    expect((await cli(['agents'], terminal)).err).toContain('messages register --agent NAME');
    expect(await cli(['agents'])).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('a watch', () => {
  test('prints one document a response, and ends after the messages asked for', async () => {
    const { code, out } = await cli(['messages', 'watch', '--agent', 'bob', '--json', '--count', '2', '--after', 'c0']);
    expect(code).toBe(0);
    const documents = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { messages: unknown[]; nextCursor: string });
    expect(documents.map(({ messages, nextCursor }) => [messages.length, nextCursor])).toEqual([
      [0, 'c0'],
      [2, 'c2'],
    ]);
  });

  test('that breaks says so once, goes on from its cursor, and says that it is back', async () => {
    let cuts = 0;
    const { code, out, err } = await cli(['messages', 'watch', '--agent', 'bob', '--count', '4'], {
      out: (text) => {
        if (text.includes('msg_2') && cuts === 0) {
          cuts += 1;
          server.cut();
        }
      },
    });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err.match(/Trying until it is back/g)).toHaveLength(1);
    expect(err).toContain('Connected again. Nothing was missed.');
  });

  test('is ended by Ctrl-C with exit code 130', async () => {
    const leaving = new AbortController();
    const watching = cli(['messages', 'watch', '--agent', 'bob'], {
      signal: leaving.signal,
      out: () => leaving.abort(),
    });
    expect((await watching).code).toBe(130);
  });
});

test('a token is printed alone for a script, and with a warning at a terminal', async () => {
  expect(await cli(['token'])).toEqual({ code: 0, out: 'aw1_secret\n', err: '' });
  const shown = await cli(['token'], terminal);
  expect(shown.out).toBe('aw1_secret\n');
  expect(shown.err).toContain('This is a secret');
});

test('no command but token prints the secret', async () => {
  for (const argv of [
    ['doctor'],
    ['agents'],
    ['help', 'exit-codes'],
    ['messages', 'read', '--agent', 'bob'],
    ['help', 'context'],
  ]) {
    const { out, err } = await cli([...argv, '--json']);
    expect(out + err).not.toContain('aw1_secret');
  }
});
