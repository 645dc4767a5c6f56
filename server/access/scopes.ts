import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';

const read = ['messages:read', 'functions:list', 'runs:read'] as const;
const run = [...read, 'messages:send', 'agents:register', 'functions:call', 'functions:reply', 'runs:start'] as const;
const author = [...run, 'authoring'] as const;

/** One thing that a program may be allowed to do. */
export type Scope = (typeof author)[number];

const bundles = { read, run, author } as const;

/** All there are. Connections are managed, and chats attached, by a person alone: no scope stands for that (ACC-2). */
export const scopes: readonly Scope[] = author;

export const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word);
const isBundle = (word: string): word is keyof typeof bundles => Object.hasOwn(bundles, word);

/** The scopes that these words name, each once, in their usual order. */
export function readScopes(words: readonly string[]): Scope[] {
  const wanted = new Set(
    words.flatMap((word): readonly Scope[] => {
      if (isBundle(word)) return bundles[word];
      if (isScope(word)) return [word];
      throw unknown(word);
    }),
  );
  return scopes.filter((scope) => wanted.has(scope));
}

function unknown(word: string): Problem {
  const said = JSON.stringify(word.slice(0, 40));
  const what = ['attach', 'connections:manage'].includes(word)
    ? 'is for a person alone, and no connection can be given it'
    : 'is no scope of this server';
  const sentence = `${said} ${what}; there are ${scopes.join(', ')}, and the bundles ${Object.keys(bundles).join(', ')}`;
  return new Problem(Reason.BAD_FIELD, sentence, { subject: 'scopes' });
}
