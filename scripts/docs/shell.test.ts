import { expect, test } from 'vitest';
import { commandsIn } from './shell.ts';

test('a line is split into its commands, without settings, comments and targets', () => {
  expect(commandsIn('A=1 npx agentworks login --label "my laptop" > out.txt && npm start # serves')).toEqual([
    ['npx', 'agentworks', 'login', '--label', 'my laptop'],
    ['npm', 'start'],
  ]);
});

test('a line goes on after a backslash, and what is substituted is a command of its own', () => {
  expect(commandsIn('curl -H "authorization: Bearer $(agentworks token)" \\\n  http://localhost')).toEqual([
    ['curl', '-H', 'authorization: Bearer $(agentworks token)', 'http://localhost'],
    ['agentworks', 'token'],
  ]);
});
