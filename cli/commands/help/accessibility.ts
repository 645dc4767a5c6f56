import { command } from '../../command.ts';

const topics = [
  [
    '--accessible',
    'one line a thing, every value with its name, nothing drawn; also AGENTWORKS_ACCESSIBLE=1, ACCESSIBLE=1 and TERM=dumb',
  ],
  ['choosing', 'with --accessible a numbered list and one question instead of a screen; nothing is drawn anew'],
  ['AGENTWORKS_REDUCED_MOTION=1', 'a screen that follows changes is drawn anew every 5 seconds at most'],
  ['NO_COLOR', 'no colour; words and shapes carry everything that colour repeats'],
  ['LANG', 'without UTF-8 in it, only ASCII is drawn'],
  ['a pipe', 'no header, no colour, nothing cut, tabs between columns, exact times'],
  ['--json', 'one document a line, in a terminal and in a pipe alike'],
  ['questions', 'no command waits for an answer in a pipe; it names the option that would answer'],
] as const;

export const accessibility = command({
  options: {},
  examples: ['agentworks help accessibility', 'agentworks agents --accessible'],
  async run({ face }) {
    face.document({ topics: topics.map(([what, effect]) => ({ what, effect })) }, () => ({
      columns: [{ title: '' }, { title: '' }],
      rows: topics,
    }));
  },
});
