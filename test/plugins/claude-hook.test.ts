import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endOf, Installed } from './claude-hook.ts';

const silent = { code: 0, out: '', err: '' };

test('RTE-8a a chat that is not attached starts no program, asks nobody and hears nothing', async () => {
  await using installed = new Installed();
  await installed.listen();
  installed.attach('another-one');
  const trace = join(installed.folder, 'trace');
  const strace = ['/usr/bin/strace', '-f', '-e', 'trace=execve,fork,vfork,clone,clone3', '-o', trace];
  expect(await installed.run('Stop', 'this-session', {}, strace)).toEqual(silent);
  expect(readFileSync(trace, 'utf8').match(/execve|fork|clone/g)).toEqual(['execve']);
  expect(installed.asked).toEqual([]);
});

describe.each([
  ['curl', {}],
  ['Node, where there is no curl', { curl: '' }],
])('by %s', (_name, known) => {
  test('an attached chat prints exactly what the bridge says, without a PATH', async () => {
    await using installed = new Installed(known);
    await installed.listen();
    installed.attach('this-session');
    installed.answer = '{"hookSpecificOutput":{"additionalContext":"ü $HOME `x`\\n"}}';
    const payload = { stop_hook_active: false, last_assistant_message: `${'ü'.repeat(100_000)}"\\` };
    expect(await installed.run('Stop', 'this-session', payload)).toEqual({ ...silent, out: installed.answer });
    const [asked] = installed.asked;
    expect(asked?.url).toBe('/hooks/claude/Stop');
    expect(asked?.headers).toMatchObject({ 'x-host-pid': '4711', 'x-session-id': 'this-session' });
    expect(JSON.parse(asked?.body ?? '')).toEqual(payload);
  });

  test('it prints nothing when the bridge has nothing to say', async () => {
    await using installed = new Installed(known);
    await installed.listen();
    installed.attach('this-session');
    expect(await installed.run('UserPromptSubmit', 'this-session')).toEqual(silent);
    expect(installed.asked).toHaveLength(1);
  });

  test('it answers a host that never closes the pipe', async () => {
    await using installed = new Installed(known);
    await installed.listen();
    installed.attach('this-session');
    installed.answer = 'heard';
    const child = installed.start('Stop', 'this-session');
    child.stdin.write('{"stop_hook_active":false}\n');
    expect(await endOf(child)).toEqual({ ...silent, out: 'heard' });
    child.stdin.destroy();
  });

  test('it ends in silence when the bridge is gone', async () => {
    await using installed = new Installed(known);
    installed.attach('this-session');
    expect(await installed.run('Stop', 'this-session')).toEqual(silent);
  });
});

test('a plugin that was removed under a running chat is silent', async () => {
  await using installed = new Installed();
  installed.attach('this-session');
  rmSync(installed.plugin, { recursive: true });
  expect(await installed.run('Stop', 'this-session')).toEqual(silent);
});

test.each(['', '../attached/this-session', 'this session'])('a session id like %j names no marker', async (session) => {
  await using installed = new Installed();
  await installed.listen();
  installed.attach('this-session');
  expect(await installed.run('Stop', session)).toEqual(silent);
  expect(installed.asked).toEqual([]);
});

/** What keeps the prompt from the model, and is shown to the person in its place. */
const blocked = (reason: string) => ({
  decision: 'block',
  reason,
  hookSpecificOutput: { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true },
});

describe('ATT-2c the typed command', () => {
  const typed = { command_name: 'agentworks:agentworks', command_args: 'attach bob', command_source: 'plugin' };
  test('is answered by the bridge, whether the chat is attached or not', async () => {
    await using installed = new Installed();
    await installed.listen();
    installed.answer = JSON.stringify(blocked('Attached as bob.'));
    expect(await installed.run('UserPromptExpansion', 'this-session', typed)).toEqual({
      ...silent,
      out: installed.answer,
    });
    expect(JSON.parse(installed.asked[0]?.body ?? '')).toEqual(typed);
  });

  test('is kept from the model when the bridge has no answer', async () => {
    await using installed = new Installed();
    await installed.listen();
    const { code, out } = await installed.run('UserPromptExpansion', 'this-session', typed);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      blocked('AgentWorks: the bridge does not know this command. Type: /agentworks attach NAME'),
    ]);
  });

  test('is kept from the model when no bridge runs and none starts, with the reason', async () => {
    await using installed = new Installed();
    writeFileSync(join(installed.plugin, 'bin', 'agentworks'), 'echo "agentworks: Not signed in." >&2; exit 3');
    const { code, out } = await installed.run('UserPromptExpansion', 'this-session', typed);
    expect([code, JSON.parse(out)]).toEqual([0, blocked('AgentWorks: the bridge did not start. Not signed in.')]);
  });

  test('fails, which its host shows and then runs nothing, when the Node of the installation is gone', async () => {
    await using installed = new Installed({ node: '/nowhere/node' });
    const ended = await installed.run('UserPromptExpansion', 'this-session', typed);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('agentworks plugins install claude');
    expect(readFileSync('plugins/claude/hooks/hooks.json', 'utf8')).toContain('"onFailure": "block"');
  });
});
