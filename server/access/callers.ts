import { createContextKey } from '@connectrpc/connect';
import type { Viewer } from './bounds.ts';

interface Signed extends Viewer {
  readonly connectionId: string;
}

/** Who is calling, settled once per RPC. Workflow, crew, relay and the server itself join when they exist. */
export type Caller =
  | { readonly kind: 'nobody' }
  /** A person, through a login connection. */
  | ({ readonly kind: 'person' } & Signed)
  /** A program, through a service connection or one that a person let in by OAuth. Null: every scope. */
  | ({ readonly kind: 'connection'; readonly scopes: readonly string[] | null } & Signed)
  /** One attached agent, through the child connection that is bound to it. */
  | ({ readonly kind: 'child'; readonly agentId: string; readonly agentName: string } & Signed);

/** Everyone but nobody. */
export type Known = Exclude<Caller, { kind: 'nobody' }>;

export const callerKey = createContextKey<Caller>({ kind: 'nobody' }, { description: 'caller' });
