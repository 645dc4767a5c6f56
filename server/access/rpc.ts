import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { AccessService, ConnectionKind as Kind } from '#gen/agentworks/access/v1/access_pb.ts';
import { readTime } from '../core/database.ts';
import { addAccount, listAccounts, type OwnerDeps } from './accounts.ts';
import { createConnection } from './create-connection.ts';
import { known } from './known.ts';
import { listConnections } from './list-connections.ts';
import { login } from './login.ts';
import { peerKey } from './peer.ts';
import { revokeConnection, type RevokeDeps } from './revoke.ts';
import type { AccountRow } from './store/accounts.ts';
import type { ConnectionKind } from './store/connections.ts';
import type { ShownConnection } from './store/shown.ts';
import { whoAmI } from './who-am-i.ts';

export type AccessDeps = OwnerDeps & RevokeDeps & { readonly version: string };

export const accessRoutes = (deps: AccessDeps) => (router: ConnectRouter) =>
  router.service(AccessService, {
    login: (request, context) => login(deps, context.values.get(peerKey), request),
    addAccount: async (request, context) => ({
      account: shownAccount(await addAccount(deps, context.values.get(peerKey), request)),
    }),
    listAccounts: async (request, context) => {
      const page = await listAccounts(deps, context.values.get(peerKey), request);
      return { accounts: page.accounts.map(shownAccount), nextCursor: page.nextCursor };
    },
    whoAmI: async (_request, context) => {
      const self = await whoAmI(deps, known(context));
      return { ...self, kind: kinds[self.kind], serverVersion: deps.version };
    },
    createConnection: async (request, context) => {
      const { connection, secret } = await createConnection(deps, known(context), request);
      return { connection: shown(connection, ''), secret };
    },
    listConnections: async (request, context) => {
      const caller = known(context);
      const page = await listConnections(deps, caller, request);
      return {
        connections: page.connections.map((row) => shown(row, caller.connectionId)),
        nextCursor: page.nextCursor,
      };
    },
    revokeConnection: async (request, context) => ({
      revokedConnectionIds: await revokeConnection(deps, known(context), request.connectionId),
    }),
  });

const kinds: Record<ConnectionKind, Kind> = {
  login: Kind.LOGIN,
  service: Kind.SERVICE,
  child: Kind.CHILD,
  client: Kind.CLIENT,
  browser: Kind.BROWSER,
};

const shownAccount = (row: AccountRow) => ({
  accountId: row.id,
  name: row.name,
  createTime: timestampFromDate(readTime(row.create_time)),
});

const time = (text: string | null) => (text === null ? undefined : timestampFromDate(readTime(text)));

const shown = (row: ShownConnection, ownId: string) => ({
  connectionId: row.id,
  kind: kinds[row.kind],
  label: row.label,
  parentConnectionId: row.parent_id ?? '',
  agentName: row.agent_name ?? '',
  createTime: time(row.create_time),
  lastSeenTime: time(row.last_seen_time),
  expireTime: time(row.expire_time),
  revokeTime: time(row.revoke_time),
  current: row.id === ownId,
});
