import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Log } from '../core/log.ts';
import type { ServerKey } from '../core/server-key.ts';
import type { SignIn } from '../http/sign-in.ts';
import type { SiteAt } from '../http/site.ts';
import type { Clients } from './clients.ts';
import { resourceOf } from './metadata.ts';
import { newProvider } from './provider.ts';
import { questions } from './question.ts';
import { Registrations } from './registrations.ts';
import { Seal } from './seal.ts';
import { oauthSites } from './site.ts';

export interface OauthDeps {
  readonly orm: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly key: ServerKey;
  /** The origin by which everyone knows this server. */
  readonly publicUrl: string;
  readonly clients: Clients;
  readonly signIn: SignIn;
  readonly agentNames: (accountId: string) => Promise<readonly string[]>;
  readonly noteReuse: (connectionId: string) => Promise<void>;
}

/** The authorization server: its paths, over tables that every node shares. */
export function openOauth(deps: OauthDeps): SiteAt {
  const { publicUrl, clock, key } = deps;
  const registrations = new Registrations(clock);
  const provider = newProvider({
    ...deps,
    resource: resourceOf(publicUrl),
    seal: new Seal(key.derive('oauth items')),
    fetch,
    registrations,
  });
  return oauthSites({
    ...deps,
    provider,
    answerQuestion: questions({ ...deps, provider }),
    registrations,
  });
}
