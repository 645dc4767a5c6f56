import { styleText } from 'node:util';
import type { Io } from '../context.ts';

/** How something stands: a word, and a shape and a colour that repeat it. */
export interface Standing {
  readonly word: string;
  readonly tone: Tone;
}

export type Tone = 'good' | 'steady' | 'waiting' | 'away' | 'bad';

/** Shapes differ without colour, and without UTF-8. */
const shapes: Record<Tone, readonly [utf8: string, ascii: string, style: Parameters<typeof styleText>[0] | undefined]> =
  {
    good: ['●', '*', 'green'],
    steady: ['◎', 'o', undefined],
    waiting: ['▭', '-', undefined],
    away: ['◌', '.', 'dim'],
    bad: ['×', 'x', 'red'],
  };

export interface Theme {
  standing(standing: Standing): string;
  quiet(text: string): string;
  strong(text: string): string;
  readonly ellipsis: string;
  readonly isColoured: boolean;
  readonly isUtf8: boolean;
}

export function newTheme(io: Io): Theme {
  const isColoured = (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
  const isUtf8 = speaksUtf8(io.env);
  const style = (name: Parameters<typeof styleText>[0] | undefined, text: string): string =>
    isColoured && name !== undefined ? styleText(name, text, { validateStream: false }) : text;
  return {
    standing({ word, tone }) {
      const [utf8, ascii, name] = shapes[tone];
      return style(name, `${isUtf8 ? utf8 : ascii} ${word}`);
    },
    quiet: (text) => style('dim', text),
    strong: (text) => style('bold', text),
    ellipsis: isUtf8 ? '…' : '~',
    isColoured,
    isUtf8,
  };
}

function speaksUtf8(env: Io['env']): boolean {
  if (process.platform === 'win32') return true;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return locale === undefined ? process.platform === 'darwin' : /utf-?8/i.test(locale);
}
