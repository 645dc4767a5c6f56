import { Usage } from '../../command.ts';
import { many } from '../../options.ts';

/** Absent keeps what there is, and "none" leaves nothing: an empty value says the same. */
export function kept(option: string, given: readonly string[] | undefined): { values: string[] } | undefined {
  if (given === undefined || given.length === 0) return undefined;
  const values = given.filter((word) => word !== 'none' && word !== '');
  if (values.length > 0 && values.length < given.length)
    throw new Usage(`--${option} none leaves nothing, and cannot stand beside another.`);
  return { values };
}

export const scopeOption = many('SCOPE', 'What it may do: a scope such as messages:send, or read, run or author');
export const targetOption = many('TARGET', 'Whom it may reach, as agent:NAME');
