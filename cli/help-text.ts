import { globalOptions, type Options } from './options.ts';

const row = /^( {2}(?:-\w| {2}) ?[ [])(--(?:[a-z-]*))(\]?(?:\.\.\.)?) {2,}(.*?)(?: +\[default = false\])?$/;

/** stricli's help, with the name of each option's value beside it, and without the default of a switch that is off. */
export function helpText(text: string, options: Options): string {
  const all: Options = { ...options, ...globalOptions };
  const lines = text.split('\n');
  const from = lines.indexOf('FLAGS') + 1;
  if (from === 0) return text;
  const blank = lines.indexOf('', from);
  const to = blank === -1 ? lines.length : blank;
  const rows = lines.slice(from, to).map((line) => {
    const [, before = '', name = '', after = '', brief = ''] = row.exec(line) ?? [];
    const option = all[camel(name.slice(2))];
    const value = option === undefined || option.kind === 'switch' ? '' : ` ${option.placeholder}`;
    return name === '' ? ['', line] : [`${before}${name}${value}${after}`, brief];
  });
  const width = Math.max(...rows.map(([left = '']) => left.length));
  const fitted = rows.map(([left = '', brief]) => (left === '' ? `${brief}` : `${left.padEnd(width)}  ${brief}`));
  return [...lines.slice(0, from), ...fitted, ...lines.slice(to)].join('\n');
}

const camel = (name: string): string => name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
