import { type FSWatcher, watch as watchFolder } from 'node:fs';
import type { Asker } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../client/refusal.ts';
import { lineOf } from './ancestry.ts';
import { ClaudeSessions } from './claude.ts';
import { isAlive, type ProcessKey } from './process-key.ts';
import { type HostSession, type OnChange, sessionKeyOf, type Sessions } from './session.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The end of a process is told by nobody. 200 sessions cost a few milliseconds a look. */
const LOOK_MS = 1_000;

interface Watched {
  session: HostSession;
  /** Of the registration that was read last. */
  stamp: string;
  readonly onChange: OnChange;
}

export function openSessions(env: Env, lookMs = LOOK_MS): Sessions {
  const claude = new ClaudeSessions(env);
  const watched = new Set<Watched>();
  const folders = new Map<string, FSWatcher>();

  function heldBy(provider: string, process: ProcessKey): HostSession | undefined {
    if (provider !== 'claude' || !isAlive(process)) return undefined;
    const session = claude.heldBy(process.pid);
    return session?.process.startTime === process.startTime ? session : undefined;
  }

  function look(): void {
    for (const entry of watched) {
      const before = entry.session;
      const stamp = claude.stampOf(before);
      // What it wrote is as it was, and it lives: nothing to read. Reading 200 in full each second would cost a quarter of a CPU.
      if (stamp !== '' && stamp === entry.stamp && isAlive(before.process)) continue;
      const now = heldBy(before.provider, before.process);
      // A registration is rewritten in place; while its process lives, an unreadable one says nothing.
      if (now === undefined && isAlive(before.process)) continue;
      if (now === undefined) watched.delete(entry);
      else Object.assign(entry, { session: now, stamp });
      if (now?.sessionId !== before.sessionId || now.activity !== before.activity) entry.onChange(now, before);
    }
    listenTo();
  }

  /** What a host writes down is seen at once; the timer is for what it does not write, and where watching fails. */
  function listenTo(): void {
    for (const folder of claude.folders) {
      if (folders.has(folder)) continue;
      try {
        const watcher = watchFolder(folder, { persistent: false }, () => look());
        watcher.on('error', () => {
          watcher.close();
          folders.delete(folder);
        });
        folders.set(folder, watcher);
      } catch {
        // It is not there yet.
      }
    }
  }

  const timer = setInterval(look, lookMs);
  timer.unref();

  return {
    discover: () => claude.discover(),
    heldBy,
    chosen(sessionKey) {
      const session = claude.discover().find((one) => sessionKeyOf(one) === sessionKey);
      if (session !== undefined) return session;
      throw new Refusal('NOT_FOUND', 'That session is no longer there. List the live ones: agentworks attach', {
        subject: 'session_key',
      });
    },
    resolve: (asker) => resolve(claude, asker),
    watch(session, onChange) {
      const entry = { session, stamp: '', onChange };
      watched.add(entry);
      listenTo();
      return () => watched.delete(entry);
    },
    close() {
      clearInterval(timer);
      for (const watcher of folders.values()) watcher.close();
      watched.clear();
    },
  };
}

/** The nearest host above the asker: one that was started inside another host's chat is not that chat. */
function resolve(claude: ClaudeSessions, asker: Pick<Asker, 'provider' | 'pid' | 'sessionId'>): HostSession {
  const { provider, sessionId } = asker;
  if (provider !== 'claude')
    throw refused(`Sessions of ${provider || 'no named host'} are not known to this bridge.`, 'provider');
  const pid = Number(asker.pid);
  const line = lineOf(pid);
  if (line.length === 0) throw refused(`Process ${pid} is not running, so it proves no session.`, 'pid');
  for (const above of line) {
    const session = claude.heldBy(above);
    if (session === undefined) continue;
    if (sessionId === '' || sessionId === session.sessionId) return session;
    const sentence = `Process ${pid} runs below the Claude Code session ${session.sessionId}, and says it is of ${sessionId}. A chat that was cleared or resumed has a new id: ask again from that chat itself.`;
    throw refused(sentence, 'session_id');
  }
  const sentence = `Process ${pid} does not run below a live Claude Code session. Ask from that chat's own shell.`;
  throw refused(sentence, 'pid');
}

const refused = (sentence: string, subject: string): Refusal => new Refusal('NOT_ALLOWED', sentence, { subject });
