import type { Database } from '../core/database.ts';
import type { Known } from './callers.ts';
import type { ConnectionKind } from './store/connections.ts';
import { whoIs } from './store/shown.ts';

export interface Self {
  readonly accountId: string;
  readonly accountName: string;
  readonly connectionId: string;
  readonly kind: ConnectionKind;
  readonly agentName: string;
}

export async function whoAmI(deps: { readonly orm: Database }, caller: Known): Promise<Self> {
  const { account_name, kind } = await whoIs(deps.orm.em.fork(), caller.connectionId);
  return {
    accountId: caller.accountId,
    accountName: account_name,
    connectionId: caller.connectionId,
    kind,
    agentName: caller.kind === 'child' ? caller.agentName : '',
  };
}
