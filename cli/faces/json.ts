import { toJson } from '@bufbuild/protobuf';
import type { Io } from '../context.ts';
import type { Face } from './face.ts';
import { inertJson } from './printable.ts';

/** One document a line, in the names of the API. Fields at their defaults are written too: `jq '.messages[]'` works. */
export function jsonFace(io: Io): Face {
  return {
    result: (schema, message) => io.out(line(toJson(schema, message, { alwaysEmitImplicit: true }))),
    document: (value) => io.out(line(value)),
    say: () => {},
    refuse: (refused) => io.err(line(refused)),
  };
}

const line = (value: unknown): string => `${inertJson(JSON.stringify(value))}\n`;
