/**
 * Another program's text as an agent, and the terminal it is shown in, may see it. Controls, format marks and marks that
 * draw nothing stand as their numbers, so that nothing is obeyed and nothing is hidden; joiners and the picture mark
 * stay, since scripts and pictures need them.
 */
const hidden = /(?!\n|\t|\u{200c}|\u{200d}|\u{fe0f})[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const breaks = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** Tags by which hosts mark what is theirs. In another's text they open and close nothing. */
const hostTags =
  /<(?=\s*\/?\s*(?:system|channel|cross-session|task-notification|command-|local-command|bash-|user|human|assistant|tool|function|antml|persisted-output|agent|teammate|hook))/gi;

const numbered = (mark: string): string => `\\u{${mark.codePointAt(0)!.toString(16)}}`;

/** The lines of a text, each inert. */
export const inertLines = (text: string): string[] =>
  text.replace(breaks, '\n').replace(hidden, numbered).replace(hostTags, '‹').split('\n');

/** One line. */
export const inertLine = (text: string): string => inertLines(text).join(' ').replaceAll('\t', ' ');
