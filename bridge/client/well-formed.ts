import { Refusal } from './refusal.ts';

/** As the API publishes it: nesting of metadata. */
const METADATA_LEVELS = 16;
/** No message of ours is nested so deeply. */
const LEVELS = 100;

/** The metadata that a value lies in, and at which level it begins. */
interface Within {
  readonly path: string;
  readonly level: number;
}

/**
 * Refuses text that has no UTF-8 form (MSG-14), and what is too deep to be walked, as whatever holds itself is. A binary
 * encoder would replace a lone surrogate without a word, and what arrives would not be what was sent.
 */
export function checkWellFormed(value: unknown, path = '', level = 0, within?: Within): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      const sentence = `${path} holds half of a character (a lone surrogate), which has no UTF-8 form; send whole characters.`;
      throw new Refusal('BAD_FIELD', sentence, { subject: path });
    }
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    checkLevel(path, level, within);
    for (const [key, item] of Object.entries(value)) {
      if (!key.isWellFormed()) checkWellFormed(key, path);
      const inner = innerPath(value, path, key);
      const begun = within ?? (key === 'metadata' ? { path: inner, level } : undefined);
      checkWellFormed(item, inner, level + 1, begun);
    }
  }
}

function checkLevel(path: string, level: number, within: Within | undefined): void {
  if (within !== undefined && level - within.level > METADATA_LEVELS) {
    const sentence = `${within.path} has more than ${METADATA_LEVELS} levels, or holds itself; send it flatter.`;
    throw new Refusal('LIMIT_EXCEEDED', sentence, { subject: within.path, bound: METADATA_LEVELS });
  }
  if (level <= LEVELS) return;
  const [subject = ''] = path.split('.');
  throw new Refusal('BAD_FIELD', `${subject} is nested too deeply, or holds itself.`, { subject });
}

function innerPath(value: object, path: string, key: string): string {
  if (Array.isArray(value)) return `${path}[${key}]`;
  return path === '' ? protoName(key) : `${path}.${protoName(key)}`;
}

const protoName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
