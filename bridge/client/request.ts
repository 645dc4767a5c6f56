import { type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { Refusal } from './refusal.ts';
import { checkWellFormed } from './well-formed.ts';

/** Refuses what types alone forbid, and what an encoder would break on or change without a word. */
export function checkRequest(desc: DescMessage, request: unknown): void {
  if (typeof request !== 'object' || request === null)
    throw new Refusal('BAD_FIELD', 'The request is no object.', { subject: 'request' });
  for (const { fieldKind, scalar, localName, name } of desc.fields) {
    if (fieldKind !== 'scalar' || scalar !== ScalarType.STRING) continue;
    const value = (request as Readonly<Record<string, unknown>>)[localName];
    if (value !== undefined && typeof value !== 'string')
      throw new Refusal('BAD_FIELD', `${name} is no text.`, { subject: name });
  }
  checkWellFormed(request);
}
