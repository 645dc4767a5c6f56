import type { Hands } from '../../doors/door.ts';
import type { Attached } from '../../world/attached.ts';
import type { Account, Person } from '../../world/people.ts';

/** What an account is, said much more simply than the server says it. */
export class Model {
  readonly agents = new Map<string, AgentModel>();
  /** Every send that was answered, by who sent it under which id. */
  readonly submissions = new Map<string, Sent>();
  stored = 0;

  agent(name: string): AgentModel {
    return this.agents.get(name)!;
  }

  others(name: string): AgentModel[] {
    return [...this.agents.values()].filter((agent) => agent.name !== name && agent.isRegistered);
  }
}

export interface AgentModel {
  readonly name: string;
  isRegistered: boolean;
  /** A name that is registered anew is somebody else. */
  life: number;
  isSignedIn: boolean;
  mailbox: Stored[];
  lease: { readonly held: Attached; readonly session: string } | undefined;
}

export interface Stored {
  readonly messageId: string;
  readonly body: string;
  readonly from: { readonly name: string; readonly life: number };
  state: number;
  isOffered: boolean;
}

export interface Sent {
  readonly target: string;
  readonly body: string;
  readonly ids: string;
}

/** The server as it is, with what each agent holds in its hands. */
export interface Real {
  readonly account: Account;
  readonly person: Person;
  readonly programs: Map<string, Person>;
  readonly cursors: Map<string, { readonly of: string; readonly cursor: string; readonly count: number }>;
  /** Leases that have ended. */
  readonly stale: { readonly name: string; readonly held: Attached }[];
  server(node: number): string;
  /** The same person at one of two servers. */
  at(person: Person, node: number): Hands;
}

export const owner = ({ name, life }: Pick<AgentModel, 'name' | 'life'>): string => `${name}/${life}`;

/** Its own program at a server, speaking by its name. */
export const speaking = (real: Real, { name }: AgentModel, node: number): Hands =>
  real.at({ ...real.programs.get(name)!, agentName: name }, node);
