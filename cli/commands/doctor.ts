import { addressOf } from '../../bridge/account/open.ts';
import { dataFolder } from '../../bridge/account/local-server.ts';
import type { SignIn } from '../../bridge/account/config.ts';
import { asTyped } from '../as-typed.ts';
import { checkBridge } from '../checks/bridge.ts';
import type { Check } from '../checks/check.ts';
import { checkConfig, checkEpoch, checkLocalServer, checkNode, checkSecret } from '../checks/computer.ts';
import { checkAnswers } from '../checks/server.ts';
import { command } from '../command.ts';
import type { Io } from '../context.ts';
import { FAULT } from '../exit-codes.ts';
import { printable } from '../faces/printable.ts';
import type { Standing } from '../faces/theme.ts';

export const doctor = command({
  description: 'Each line is ok, warn or fail, with what to do. Exits with 1 when one fails. Changes nothing.',
  options: {},
  examples: ['agentworks doctor', 'agentworks doctor --json'],
  async run({ io, face, globals }) {
    const checks = (await examine(io, globals.config)).map(({ name, state, found, remedy }) => ({
      name,
      state,
      found: asTyped(io.env, found),
      remedy: asTyped(io.env, remedy),
    }));
    face.document({ checks }, () => ({
      columns: [{ title: 'CHECK' }, { title: 'STATE' }, { title: 'FOUND' }, { title: 'WHAT TO DO' }],
      rows: checks.map(({ name, state, found, remedy }) => [name, standings[state], found, remedy]),
      blocks: () => checks.flatMap(lines),
    }));
    return checks.some(({ state }) => state === 'fail') ? FAULT : 0;
  },
});

const standings: Record<Check['state'], Standing> = {
  ok: { word: 'ok', tone: 'good' },
  warn: { word: 'warn', tone: 'waiting' },
  fail: { word: 'fail', tone: 'bad' },
};

/** What was found, and below it what to do: sentences, which no column would hold. */
const lines = ({ name, state, found, remedy }: Check): string[] => [
  printable(`${state.padEnd(4)}  ${name}: ${found}`),
  ...(remedy === '' ? [] : [printable(`      ${remedy}`)]),
];

/** Each check stands on the ones before it: what cannot be known yet is left out, not guessed. */
async function examine(io: Io, named: string | undefined): Promise<Check[]> {
  const { check: config, signIn } = checkConfig(io, named);
  const isLocal = signIn === undefined || signIn.server === 'local';
  const { check: local, server } = isLocal ? checkLocalServer(signIn?.data ?? dataFolder(io.env)) : {};
  const checks = [checkNode(), config, ...(local === undefined ? [] : [local])];
  if (signIn === undefined) return server === undefined ? checks : [...checks, ...(await ask(`unix:${server.socket}`))];
  const { check: kept, secret } = await checkSecret(io, signIn);
  checks.push(kept, ...(server === undefined ? [] : checkEpoch(signIn, server)));
  const bridge = await checkBridge(io, named);
  if (isLocal && server === undefined) return [...checks, bridge];
  return [...checks, ...(await ask(addressOf(signIn), signIn, secret)), bridge];
}

const ask = (address: string, signIn?: SignIn, secret?: string): Promise<Check[]> =>
  checkAnswers({ address, secret, plaintext: signIn?.plaintext === true });
