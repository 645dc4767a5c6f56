import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { AccessService, ConnectionKind as Kind } from '#gen/agentworks/access/v1/access_pb.ts';
import { readTime } from '../core/database.ts';
import { addAccount, listAccounts, type OwnerDeps } from './accounts.ts';
import { createConnection } from './create-connection.ts';
import { both } from './bounds.ts';
import { known } from './known.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { listConnections } from './list-connections.ts';
import { login } from './login.ts';
import { peerKey } from './peer.ts';
import { revokeConnection, type RevokeDeps } from './revoke.ts';
import { scopes } from './scopes.ts';
import type { openSignInCodes } from './sign-in-codes.ts';
import type { AccountRow } from './store/accounts.ts';
import type { AuditRow } from './store/audit.ts';
import type { ConnectionKind } from './store/connections.ts';
import type { ShownConnection } from './store/shown.ts';
import { updateConnection } from './update-connection.ts';
import { whoAmI } from './who-am-i.ts';

export type AccessDeps = OwnerDeps &
  RevokeDeps & {
    readonly version: string;
    /** Where a browser finds this server. */
    readonly publicUrl: string;
    readonly signInCodes: ReturnType<typeof openSignInCodes>;
  };

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
    updateConnection: async (request, context) => {
      const caller = known(context);
      const { connectionId, label } = request;
      const change = { connectionId, label, scopes: request.scopes?.values, targets: request.targets?.values };
      return { connection: shown(await updateConnection(deps, caller, change), caller.connectionId) };
    },
    createSignInCode: async (_request, context) => {
      const { code, expireTime } = await deps.signInCodes.create(known(context));
      return { code, url: `${deps.publicUrl}/sign-in`, expireTime: time(expireTime) };
    },
    listAuditEvents: async (request, context) => {
      const page = await listAuditEvents(deps, known(context), request);
      return { events: page.events.map(shownEvent), nextCursor: page.nextCursor };
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
  scopes: isProgram(row.kind) ? [...(both(row.scopes, row.parent_scopes) ?? scopes)] : [],
  ...shownTargets(both(row.targets, row.parent_targets)),
  clientName: row.client_name ?? '',
  redirectHost: row.redirect_host ?? '',
});

const isProgram = (kind: ConnectionKind): boolean => kind === 'service' || kind === 'client';

const shownTargets = (targets: readonly string[] | null) =>
  targets === null ? {} : { targets: { values: [...targets] } };

const shownEvent = (row: AuditRow) => ({
  time: time(row.time),
  kind: row.kind,
  connectionId: row.connection_id,
  subject: row.subject,
  sentence: row.sentence,
  count: row.count,
});
