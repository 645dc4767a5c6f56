import { expect, test } from 'vitest';
import { checkCommand } from './commands.ts';

test('a line that the command line understands is right', async () => {
  expect(
    await checkCommand(['messages', 'send', '--agent', 'alice', '--target', 'agent:bob', '--message', 'hi']),
  ).toBeUndefined();
});

test('a command, a verb and an option that do not exist are named', async () => {
  expect(await checkCommand(['nosuch'])).toMatch('no such command');
  expect(await checkCommand(['messages', 'nosuch', '--agent', 'x'])).toMatch('nosuch');
  expect(await checkCommand(['messages', 'send', '--nosuch', 'x'])).toMatch('--nosuch');
});

test('what a command needs must be there, unless the command is only mentioned', async () => {
  expect(await checkCommand(['messages', 'watch', '--count', 'many'])).toMatch('many');
  expect(await checkCommand(['messages', 'unregister', '--json'])).toMatch('--agent');
  expect(await checkCommand(['messages', 'unregister'])).toBeUndefined();
});
