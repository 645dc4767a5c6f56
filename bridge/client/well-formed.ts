import { Refusal } from './refusal.ts';

/**
 * Refuses text that has no UTF-8 form (MSG-14). A binary encoder would replace a lone surrogate without a word, and what
 * arrives would not be what was sent.
 */
export function checkWellFormed(value: unknown, path = ''): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      const sentence = `${path} holds half of a character (a lone surrogate), which has no UTF-8 form; send whole characters.`;
      throw new Refusal('BAD_FIELD', sentence, { subject: path });
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkWellFormed(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [key, item] of Object.entries(value)) {
      const inner = path === '' ? protoName(key) : `${path}.${protoName(key)}`;
      if (!key.isWellFormed()) checkWellFormed(key, path);
      checkWellFormed(item, inner);
    }
  }
}

const protoName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
