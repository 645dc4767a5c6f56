import { ReasonSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import { command } from '../../command.ts';
import { exitCodes, FAULT, INTERRUPTED, meanings, USAGE } from '../../exit-codes.ts';

/** In the order of the numbers. */
export const exitCodeTable: readonly (readonly [code: number, name: string, meaning: string])[] = [
  [0, 'OK', 'done'],
  [FAULT, 'FAULT', 'a fault of this program, or a check of `doctor` that failed'],
  [USAGE, 'USAGE', 'the command line was not understood; nothing was asked of the server'],
  ...ReasonSchema.values
    .filter(({ number }) => number !== 0)
    .map(({ localName }) => localName as keyof typeof exitCodes)
    .map((name) => [exitCodes[name], name, meanings[name]] as const),
  [INTERRUPTED, 'INTERRUPTED', 'Ctrl-C'],
];

export const exitCodesTopic = command({
  description:
    'A refusal says its reason in words on stderr, and with --json as one line: reason, subject, bound, sentence, suggestions.',
  options: {},
  examples: ['agentworks help exit-codes'],
  async run({ face }) {
    face.document({ exitCodes: exitCodeTable.map(([code, name, meaning]) => ({ code, name, meaning })) }, () => ({
      columns: [{ title: 'CODE' }, { title: 'NAME' }, { title: 'MEANING' }],
      rows: exitCodeTable,
    }));
  },
});
