import { hostname } from 'node:os';
import type { ConnectRouter } from '@connectrpc/connect';
import type { SignIn } from './account/config.ts';
import { addressOf } from './account/open.ts';
import { Attachments } from './attach/attachments.ts';
import { Children } from './attach/child.ts';
import type { Notice } from './attach/desktop-notice.ts';
import { Markers } from './attach/markers.ts';
import { type AgentWorks, connect } from './client/index.ts';
import { openTransport } from './client/transport.ts';
import { Delivery } from './delivery/delivery.ts';
import type { Tools } from './delivery/guidance.ts';
import { setup } from './delivery/setup.ts';
import { askClaude } from './hooks/claude.ts';
import { openJournal } from './journal/open.ts';
import type { BridgeLink } from './link/bridge-link.ts';
import { openLink } from './link/open.ts';
import { localRoutes, peersOf } from './local/local.ts';
import { Status } from './local/status.ts';
import type { Log } from './log.ts';
import { ClaudeReceipts } from './routes/claude-receipts.ts';
import { claudeSocket } from './routes/claude-socket.ts';
import { bootId } from './sessions/process-key.ts';
import type { HostSession, Sessions } from './sessions/session.ts';

export interface Composing {
  readonly signIn: SignIn;
  /** The person's secret, from wherever it lies. */
  readonly secret: string;
  readonly version: string;
  /** The journal's file. */
  readonly journal: string;
  /** The folder of markers, and the socket they name. */
  readonly markers: string;
  readonly socket: string;
  readonly sessions: Sessions;
  readonly notice: Notice;
  readonly hasPlugin: (session: HostSession) => boolean;
  readonly log: Log;
  readonly stop: () => void;
  readonly now?: () => number;
}

export interface Bridge {
  readonly routes: (router: ConnectRouter) => void;
  readonly askHook: (asked: { provider: string; hostPid: number | undefined; body: string }) => Promise<string>;
  close(): Promise<void>;
}

/** What the person reads on the desktop: a name, never a body. */
const told = {
  waiting: (name: string) => `Messages wait for ${name}, until its next turn.`,
  missed: (name: string) => `${name} did not acknowledge messages it was sent. Its chat is told which.`,
  held: (name: string) => `A message for ${name} is held in its chat, until you let it in there.`,
};

/** Messages do not wait longer for what is said before the first of them. */
const SETUP_MS = 2_000;

/** What stands before a tool's name in each host. */
const tools = (provider: string): Tools => ({
  provider,
  prefix: provider === 'claude' ? 'mcp__plugin_agentworks_messages__' : '',
});

/** Builds a bridge's parts and hands them to each other, over a journal that is ours and a server that may be away. */
export function composeBridge(composing: Composing): Bridge {
  const { signIn, secret, sessions, log, notice, version } = composing;
  const destination = () => ({ address: addressOf(signIn), secret, plaintext: signIn.plaintext === true });
  const computer = Array.from(hostname()).slice(0, 64).join('');
  const journal = openJournal(composing.journal, {
    onBroken: ({ sentence }) => log('journal.broken', { sentence }),
  });
  const link: BridgeLink = openLink({
    open: async () => openTransport(destination()),
    journal,
    hello: { version, bootId: bootId(), computer },
    onPending: (attachmentId) => delivery.nudge(attachmentId),
    onEnded: (attachmentId, reason) => attachments.ended(attachmentId, reason),
    onRefused: ({ attachmentId, submissionId }, { reason, sentence }) =>
      log('outbox.refused', { attachmentId, submissionId, reason, sentence }),
    onUntold: (attachmentId, { messageIds, state }, { reason, sentence }) =>
      log('acknowledge.refused', { attachmentId, messageIds, state, reason, sentence }),
    onChange() {
      status.turned();
      if (link.connected) attachments.tellPartings();
    },
  });
  const children = new Children(signIn);
  const receipts = new ClaudeReceipts();
  const delivery: Delivery = new Delivery({
    journal,
    link,
    sessions,
    log,
    now: composing.now ?? Date.now,
    tools,
    routes: { claude: [claudeSocket(receipts)] },
    setup: (lease) =>
      peersOf({ children }, lease, { timeoutMs: SETUP_MS }).then(
        (peers) => setup(lease.agentName, peers, tools(lease.provider)),
        () => undefined,
      ),
    notify: ({ agentName }, what) => notice('AgentWorks', told[what](agentName)),
    onChange: () => status.changed(),
  });
  const attachments: Attachments = new Attachments({
    journal,
    link,
    sessions,
    delivery,
    children,
    markers: new Markers(composing.markers, composing.socket),
    notice,
    log,
    computer,
    onChange: () => status.changed(),
    async asPerson<T>(act: (client: AgentWorks) => Promise<T>): Promise<T> {
      const client = connect(destination());
      try {
        return await act(client);
      } finally {
        client.close();
      }
    },
  });
  const { hasPlugin, stop } = composing;
  const server = signIn.server === 'local' ? `local ${signIn.data ?? ''}` : signIn.server;
  const status: Status = new Status({ delivery, journal, link, hasPlugin, version, server });
  const askHook: Bridge['askHook'] = async ({ provider, ...asked }) =>
    provider === 'claude' ? askClaude({ attachments, delivery, link, sessions, log }, asked) : '';
  attachments.restore();
  return {
    routes: localRoutes({ attachments, children, delivery, journal, link, sessions, status, hasPlugin, askHook, stop }),
    askHook,
    async close() {
      attachments.close();
      await link.close();
      await delivery.idle();
      await receipts.close();
      children.close();
      journal.close();
    },
  };
}
