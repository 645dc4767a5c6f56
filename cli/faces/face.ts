import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { asTyped } from '../as-typed.ts';
import type { Io } from '../context.ts';
import { jsonFace } from './json.ts';
import { plainFace } from './plain.ts';
import type { Table } from './table.ts';

/** A refusal, or a command line that was not understood. */
interface Refused {
  readonly reason: string;
  readonly subject: string;
  readonly bound: number;
  readonly sentence: string;
  readonly suggestions: readonly string[];
}

/** What a result looks like in words. A block is read by a person only; a program gets the rows. */
export interface Shown extends Table {
  readonly blocks?: () => readonly string[];
}

/** One result, two printings. */
export interface Face {
  /** The result of the command: to stdout. */
  result<M extends DescMessage>(schema: M, message: MessageShape<M>, shown: () => Shown): void;
  /** A result that has no message in the API. */
  document(value: object, shown: () => Shown): void;
  /** What is said about it: to stderr, and only to a person. */
  say(sentence: string): void;
  /** Why there is no result: one sentence, or one line of JSON. */
  refuse(refused: Refused): void;
}

export interface FaceOptions {
  readonly json: boolean;
  readonly accessible: boolean;
}

export function newFace(io: Io, { json, accessible }: FaceOptions): Face {
  if (json) return jsonFace(io);
  const face = plainFace(io, accessible || isAskedPlain(io.env));
  return {
    ...face,
    say: (sentence) => face.say(asTyped(io.env, sentence)),
    refuse: (refused) => face.refuse({ ...refused, sentence: asTyped(io.env, refused.sentence) }),
  };
}

/** Whether the person wants nothing drawn. */
export const isAskedPlain = (env: Io['env']): boolean =>
  env['TERM'] === 'dumb' || isOn(env['AGENTWORKS_ACCESSIBLE']) || isOn(env['ACCESSIBLE']);

export const isOn = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0';
