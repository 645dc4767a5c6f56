import { join } from 'node:path';
import { type ConnectRouter, createContextValues, createRouterTransport } from '@connectrpc/connect';
import manifest from '../package.json' with { type: 'json' };
import { ensureLocalAccount } from './access/accounts.ts';
import type { Known } from './access/callers.ts';
import { connections } from './access/children.ts';
import { openClients } from './access/clients.ts';
import { peerKey, peerOf } from './access/peer.ts';
import { Refusals } from './access/refusals.ts';
import { Callers } from './access/resolve-caller.ts';
import { accessRoutes } from './access/rpc.ts';
import { openSignInCodes } from './access/sign-in-codes.ts';
import { endLeases } from './agents/attachments/end.ts';
import { attachmentRoutes, attachmentVerbs } from './agents/attachments/rpc.ts';
import { openWakeExpected } from './agents/attachments/wake-guard.ts';
import { openDirectory } from './agents/directory.ts';
import { agentRoutes } from './agents/rpc.ts';
import { type Clock, systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { openDataFolder, privateSocket, readLoginKey, writeServerFile } from './core/data-folder.ts';
import { refuseUnfitDatabase } from './core/database-fitness.ts';
import { type Manager, migrate, openDatabase, type Where } from './core/database.ts';
import { diskRoom } from './core/disk-room.ts';
import { Endings } from './core/endings.ts';
import { Hub } from './core/hub.ts';
import type { Log } from './core/log.ts';
import { ensureDatabase, startPostgres } from './core/postgres.ts';
import { databaseReadiness } from './core/readiness.ts';
import { check } from './core/request-fields.ts';
import { readServerKey } from './core/server-key.ts';
import { Undo } from './core/undo.ts';
import { entities } from './entities.ts';
import { pages } from './http/pages.ts';
import type { LinkDeps } from './link/deps.ts';
import { bridgeRoutes } from './link/rpc.ts';
import { createHandler } from './listener/handler.ts';
import { listen, type Listener } from './listener/listen.ts';
import { performer } from './mcp/perform.ts';
import { mcpServers } from './mcp/server.ts';
import { mcpSite } from './mcp/site.ts';
import { Batcher } from './messages/batcher.ts';
import { repair } from './messages/repair.ts';
import { messageRoutes, shownSent } from './messages/rpc.ts';
import { send } from './messages/send.ts';
import { openSides } from './messages/sides.ts';
import { migrations } from './migrations/list.ts';
import { openNode } from './nodes/open.ts';
import { challenge } from './oauth/metadata.ts';
import { type OauthDeps, openOauth } from './oauth/open.ts';
import { signInByCode } from './oauth/sign-in-by-code.ts';
import { callerInterceptor } from './rpc/caller.ts';
import { entering } from './rpc/entrance.ts';
import { healthRoutes } from './rpc/health.ts';
import { observe } from './rpc/observe.ts';
import { problems, refusals as refusalsOf } from './rpc/problems.ts';
import { reflectionRoutes } from './rpc/reflection.ts';
import { validate } from './rpc/validate.ts';

const { version } = manifest;

/** How long what is being answered may take once the server stops; streams end at once. */
const GRACE_MS = 5_000;

type Deps = Awaited<ReturnType<typeof openDeps>>;

export interface Running {
  readonly url: string;
  readonly port: number;
  /** The private Unix socket. */
  readonly socket: string;
  readonly deps: Deps;
  close(): Promise<void>;
}

export interface Overrides {
  readonly clock?: Clock;
  /** The database serves this server only. */
  readonly isAlone?: boolean;
  /** A database that holds an older schema is left as it is, and the server does not start. */
  readonly onlyEmpty?: boolean;
  /** Whether the database has room for more; without it, only the database says. */
  readonly hasRoom?: () => boolean;
}

/** With the embedded PostgreSQL, or that of DATABASE_URL. `onLost`: the data folder has another server now. */
export async function serve(config: Config, log: Log, onLost: (refusal: Error) => void): Promise<Running> {
  const undo = new Undo();
  return undo.unless(async () => {
    openDataFolder(config.data);
    // The port first: whoever cannot have it must not have touched the database.
    const listener = undo.opened(await listen(config), (opened) => opened.close(0));
    const where = config.database ?? (await embedded(listener.url));
    if (config.database !== undefined) await refuseUnfitDatabase(where);
    const isOurs = config.database === undefined;
    const running = await serveBehind(listener, where, config, log, {
      isAlone: isOurs,
      onlyEmpty: !isOurs,
      ...(isOurs ? { hasRoom: diskRoom(join(config.data, 'postgres')) } : {}),
    });
    undo.opened(running, (started) => started.close());
    return { ...running, close: () => undo.run() };
  });

  async function embedded(url: string): Promise<Where> {
    const { socket } = undo.opened(await startPostgres(config.data, { url, log, onLost }), (started) => started.stop());
    await ensureDatabase(socket, 'agentworks');
    return { host: socket, user: 'agentworks', database: 'agentworks' };
  }
}

/** Brings the database of DATABASE_URL up to this version, while no server uses it. */
export async function migrateDatabase(where: Where): Promise<void> {
  await refuseUnfitDatabase(where);
  const orm = await openDatabase(where, entities, migrations);
  try {
    await migrate(where, orm, migrations);
  } finally {
    await orm.close();
  }
}

/** A server over a database that is there. */
export async function serveOn(where: Where, config: Config, log: Log, overrides: Overrides = {}): Promise<Running> {
  const undo = new Undo();
  return undo.unless(async () => {
    openDataFolder(config.data);
    const listener = undo.opened(await listen(config), (opened) => opened.close(0));
    return serveBehind(listener, where, config, log, overrides);
  });
}

async function serveBehind(
  listener: Listener,
  where: Where,
  config: Config,
  log: Log,
  overrides: Overrides,
): Promise<Running> {
  const undo = new Undo();
  return undo.unless(async () => {
    const deps = await openDeps(undo, where, config, log, overrides);
    const draining = new AbortController();
    const publicUrl = config.publicUrl ?? listener.url;
    listener.serve(handlerOf(deps, { ...config, publicUrl }, draining.signal));
    undo.opened(listener, (opened) => opened.close(GRACE_MS));
    undo.opened(draining, (started) => started.abort());
    const { url, port } = listener;
    const socket = await privateSocket(config.data);
    await listener.listenAt(socket);
    const self = { version, pid: process.pid, epoch: deps.epoch, url, socket };
    undo.opened(writeServerFile(config.data, self), (remove) => remove());
    return { url, port, socket, deps, close: () => undo.run() };
  });
}

/** Everything a verb needs, built once and handed across the rooms. */
async function openDeps(
  undo: Undo,
  where: Where,
  config: Config,
  log: Log,
  { clock = systemClock, isAlone = false, onlyEmpty = false, hasRoom = () => true }: Overrides,
) {
  const orm = undo.opened(await openDatabase(where, entities, migrations), (opened) => opened.close());
  await migrate(where, orm, migrations, { onlyEmpty });
  await ensureLocalAccount(orm);
  const hub = new Hub();
  const endings = new Endings();
  const open = { orm, where, hub, endings, clock, log };
  const node = undo.opened(await openNode({ ...open, isAlone }), (opened) => opened.close());
  const { nodeId, epoch, notifier } = node;
  const agents = undo.opened(openDirectory(open), (opened) => opened.close());
  const callers = undo.opened(new Callers(open), (opened) => opened.close());
  const refusals = undo.opened(new Refusals(open), (opened) => opened.close());
  const closing = new AbortController();
  const repairs = repair(open, closing.signal);
  undo.opened(closing, (started) => {
    started.abort();
    return repairs;
  });
  const key = await readServerKey(orm);
  return {
    ...open,
    version,
    key,
    nodeId,
    epoch,
    isCurrent: () => node.isCurrent(),
    notifier,
    agents,
    callers,
    refusals,
    signInCodes: openSignInCodes(open),
    connections,
    loginKey: readLoginKey(config.data),
    endLeases: (em: Manager, agentId: string) => endLeases({ connections }, em, { agentId }, 'revoked'),
    guard: config,
    wakeExpected: openWakeExpected(config),
    batcher: new Batcher({ orm, notifier, endings, hops: config.hops, hasRoom }),
    sides: openSides(orm),
  };
}

function handlerOf(deps: Deps, config: Config & { readonly publicUrl: string }, draining: AbortSignal) {
  const { orm, clock, log, callers } = deps;
  const { publicUrl } = config;
  const readiness = databaseReadiness(orm, clock, draining);
  const interceptors = [problems({ log, draining }), callerInterceptor(deps), validate, observe(log)];
  const routes = (router: ConnectRouter) => {
    accessRoutes({ ...deps, publicUrl })(router);
    agentRoutes(deps)(router);
    attachmentRoutes(deps)(router);
    messageRoutes(deps)(router);
    bridgeRoutes(linkDeps(deps))(router);
    healthRoutes(readiness, clock)(router);
    reflectionRoutes(router);
  };
  // A tool is one of our RPCs, asked within this process by whoever asked for the tool (GTW-1).
  const perform = performer(createRouterTransport(routes, { router: { interceptors } }));
  const oauthAt = openOauth(oauthDeps(deps, publicUrl));
  const mcpAt = mcpSite({
    callers,
    servers: mcpServers({ perform, version, log }),
    challenge: (refusal) => challenge(publicUrl, refusal),
    log,
    draining,
  });
  return createHandler({
    rules: config,
    log,
    draining,
    pages: pages(readiness, version),
    challenge: challenge(publicUrl),
    siteAt: (path) => oauthAt(path) ?? mcpAt(path),
    enter: entering(callers),
    interceptors,
    contextOf: (connection) => createContextValues().set(peerKey, peerOf(connection)),
    routes,
  });
}

function oauthDeps(deps: Deps, publicUrl: string): OauthDeps {
  const { agents } = deps;
  const clients = openClients(deps);
  return {
    ...deps,
    publicUrl,
    clients: {
      ...clients,
      noteReplay: (id, times) =>
        clients.noteToken(id, 'token.replayed', `its refresh token came again within its time, ${times} times`),
    },
    signIn: signInByCode(deps.signInCodes),
    agentNames: async (accountId) => (await agents.names({ accountId, targets: null })).map(({ name }) => name),
    noteReuse: (id) => clients.noteToken(id, 'token.reused', 'a spent token of it came again: it was ended'),
  };
}

/** The link gives one stream the verbs that the unary calls have, and each entry is judged as theirs are. */
function linkDeps(deps: Deps): LinkDeps {
  const { callers, log } = deps;
  const verbs = attachmentVerbs(deps);
  const noting = async <T>(caller: Known, rpc: string, attempt: Promise<T>): Promise<T> =>
    attempt.catch((error: unknown) => {
      deps.refusals.note(caller, rpc, error);
      throw error;
    });
  return {
    ...deps,
    ...verbs,
    claimOffer: async (caller, request) => {
      check(request);
      return noting(caller, 'ClaimOffer', verbs.claimOffer(caller, request));
    },
    acknowledge: async (caller, request) => {
      check(request);
      return noting(caller, 'Acknowledge', verbs.acknowledge(caller, request));
    },
    send: async (caller, request, inTurn) => {
      check(request);
      return shownSent(await noting(caller, 'Send', send(deps, caller, request, inTurn)), request.target);
    },
    refusal: refusalsOf(log),
    resolveSecret: async (secret) => {
      const entry = await callers.enter(secret);
      entry?.right[Symbol.dispose]();
      return entry?.caller ?? { kind: 'nobody' };
    },
  };
}
