import { createContextKey } from '@connectrpc/connect';

interface Signed {
  readonly accountId: string;
  readonly connectionId: string;
}

/** Who is calling, settled once per RPC. Workflow, crew, relay and the server itself join when they exist. */
export type Caller =
  | { readonly kind: 'nobody' }
  /** A person, through a login connection. */
  | ({ readonly kind: 'person' } & Signed)
  /** A program, through a service connection. */
  | ({ readonly kind: 'connection' } & Signed)
  /** One attached agent, through the child connection that is bound to it. */
  | ({ readonly kind: 'child'; readonly agentId: string; readonly agentName: string } & Signed);

/** Everyone but nobody. */
export type Known = Exclude<Caller, { kind: 'nobody' }>;

export const callerKey = createContextKey<Caller>({ kind: 'nobody' }, { description: 'caller' });
