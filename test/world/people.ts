/** Somebody who can knock at a door. */
export interface Person {
  readonly server: string;
  readonly secret: string | undefined;
  readonly connectionId: string;
  readonly accountName: string;
  /** Where this person's own files go: the CLI's configuration. */
  readonly folder: string;
  /** The registered name a scene speaks by; undefined for a person. */
  readonly agentName: string | undefined;
  /** Says that a stream was opened; call the answer when it has ended. */
  opens(what: string): () => void;
  /** Runs when the world closes. */
  leave(close: () => void): void;
}

/** A program of the account, on a connection of its own, with a name that it registered. */
export interface Agent extends Person {
  readonly agentName: string;
  readonly agentId: string;
}

/** Whose people and agents belong together. */
export interface Account {
  readonly name: string;
  /** A person who signs in anew, on a login connection. */
  person(): Promise<Person>;
  /** A program with a connection of its own and no name yet. */
  program(label: string): Promise<Person>;
  agent(name: string): Promise<Agent>;
}
