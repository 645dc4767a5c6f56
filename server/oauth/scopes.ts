import { CLI_CLIENT_ID } from './cli-client.ts';
import type { Granted } from './clients.ts';

/** What a client may be allowed, in the words of the page on which a person allows it. */
export const scopeWords = {
  'messages:read': 'Read the messages of the agents it is allowed to use',
  'messages:send': 'Send messages as the agents it is allowed to use',
  'agents:register': 'Register agent names, and remove those it registered',
  'functions:list': 'See which functions there are',
  'functions:call': 'Call functions, which may start work and cost money',
  'functions:reply': 'Answer questions that a function asks while it runs',
  'runs:read': 'See the runs of workflows and relays',
  'runs:start': 'Start runs of workflows and relays',
  authoring: 'Create and change Crews, workflows and relays',
} as const;

export type Scope = keyof typeof scopeWords;

export const grantable = Object.keys(scopeWords) as Scope[];

/** What is asked for by whoever asks for nothing, and what a client without a token is told to ask for. */
export const defaultScopes: readonly Scope[] = ['messages:read', 'messages:send', 'agents:register'];

/** All that a person may: for our own command line only. */
export const LOGIN_SCOPE = 'login';

/** Which of ours stand in what a client asked for; what is not ours (`offline_access`, `openid`) is let pass unheard. */
export function askedScopes(asked: unknown): readonly Scope[] {
  const words = typeof asked === 'string' ? asked.split(' ') : [];
  const ours = grantable.filter((scope) => words.includes(scope));
  return ours.length > 0 ? ours : defaultScopes;
}

export const scopesFor = (clientId: string): readonly string[] =>
  clientId === CLI_CLIENT_ID ? [LOGIN_SCOPE] : grantable;

export const scopesOf = ({ kind, scopes }: Pick<Granted, 'kind' | 'scopes'>): readonly string[] =>
  kind === 'login' ? [LOGIN_SCOPE] : (scopes ?? grantable);
