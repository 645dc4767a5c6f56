import type { Options } from './options.ts';

/** Reasons that are about what was given. */
const aboutGiven = new Set(['BAD_FIELD', 'LIMIT_EXCEEDED', 'BAD_CURSOR']);

interface Refused {
  readonly reason: string;
  readonly subject: string;
  readonly sentence: string;
}

/** The sentence of a refusal, and behind it the options of this command that give the API's fields which it names. */
export function inOptions({ reason, subject, sentence }: Refused, options: Options): string {
  if (!aboutGiven.has(reason)) return sentence;
  const named = new Set([subject.split(/[.[]/)[0], ...(sentence.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])]);
  const meant = Object.entries(options)
    .filter(([name, option]) => !(option.kind === 'text' && option.hidden) && fieldsOf(name).some((f) => named.has(f)))
    .map(([name]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
    .filter((flag) => !sentence.includes(flag));
  if (meant.length === 0) return sentence;
  return sentence.replace(/([.!?]?)$/, (end) => ` (${meant.join(', ')})${end}`);
}

/** An option is called as its field, or as short as a person would say it. */
function fieldsOf(option: string): string[] {
  const name = option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [name, `${name}_name`, `${name}_id`, `${name}_seconds`, ...(name === 'message' ? ['body'] : [])];
}
