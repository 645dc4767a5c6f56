import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chat } from './claude/chat.ts';
import { FakeModel } from './claude/model.ts';
import { claudeProgram, VERSION } from './claude/program.ts';
import { Computer } from './computer.ts';

/** What stands before the names of our tools in Claude Code. */
const TOOLS = 'mcp__plugin_agentworks_messages__agent_message_';

const program = await claudeProgram();
if ('missing' in program) console.warn(`the real Claude Code is left out: ${program.missing}`);
const path = 'path' in program ? program.path : '';

describe.skipIf(path === '')(`Claude Code ${VERSION}`, () => {
  let computer: Computer;
  let model: FakeModel;

  beforeAll(async () => {
    computer = await Computer.open();
    model = await FakeModel.open();
    await computer.agentworks('plugins', 'install', 'claude', '--program', path, '--yes');
  });

  afterAll(async () => {
    await model[Symbol.asyncDispose]();
    await computer[Symbol.asyncDispose]();
  });

  async function send(from: string, to: string, text: string): Promise<string> {
    const words = ['messages', 'send', '--agent', from, '--target', `agent:${to}`, '--message', text];
    return (await computer.asked<{ messageId: string }>(...words)).messageId;
  }

  const open = (...args: string[]) =>
    Chat.open(computer, model, path, ['--allowedTools', 'mcp__plugin_agentworks_messages', ...args]);

  test('a chat that is not attached hears nothing of us', async () => {
    await using chat = await open();
    await chat.type('Good morning.');
    const turn = await model.turn(({ said }) => said.includes('Good morning.'), 'the greeting');
    expect(/hook (additional context|success|error)|AgentWorks/.exec(turn.everything)).toBeNull();
    await chat.shows(/Done\./);
  });

  test('typing attaches the chat; a message wakes it, and its acknowledgement and its answer reach the sender', async () => {
    await computer.agentworks('messages', 'register', '--agent', 'alice');
    await using chat = await open();
    const before = model.turns.length;
    await chat.type('/agentworks attach reviewer');
    await chat.shows(/Attached as reviewer\./);
    expect(model.turns.length).toBe(before);

    let asked = '';
    model.answer = steps(
      ({ said }) => {
        asked = said;
        return { call: 'ToolSearch', input: { query: `select:${TOOLS}ack,${TOOLS}reply` } };
      },
      () => ({ call: `${TOOLS}ack`, input: { message_ids: [field('message_id', asked)] } }),
      () => ({ call: `${TOOLS}reply`, input: { inbox_id: field('inbox_id', asked), body: 'It is green.' } }),
    );
    const messageId = await send('alice', 'reviewer', 'Is the build green?');
    await model.turn(({ said }) => said.includes('Is the build green?'), 'the message');
    await chat.shows(/Done\./);
    const answers = await computer.agentworks('messages', 'read', '--agent', 'alice');
    expect(answers).toContain('It is green.');
    expect(await computer.agentworks('messages', 'receipts', messageId)).toContain('admitted');
  });
});

/** What an offer says of its first message. */
const field = (name: string, said: string): string => new RegExp(`^${name}: (\\S+)$`, 'm').exec(said)?.[1] ?? '';

/** What the model does, one after another, and then no more. */
function steps(...all: readonly FakeModel['answer'][]): FakeModel['answer'] {
  let at = 0;
  return (turn) => all[at++]?.(turn) ?? { say: 'Done.' };
}
