import { createHash } from 'node:crypto';
import type { Activity, Asker } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { ProcessKey } from './process-key.ts';

/** One live session of a host, as its host registered it and as the operating system confirms it. */
export interface HostSession {
  readonly provider: string;
  /** The host's own id. In Claude Code `/clear` changes it within the same process. */
  readonly sessionId: string;
  readonly process: ProcessKey;
  readonly folder: string;
  /** Where the host keeps its settings. */
  readonly config?: string | undefined;
  /** Another's text. */
  readonly title: string;
  readonly activity: Activity;
  readonly startTime: Date | undefined;
  /** The host program's version; empty when it does not tell. */
  readonly version: string;
  /** The host's own socket, whose owner, mode and listener were checked. */
  readonly socket?: string;
  /** Why there is no such socket. */
  readonly noSocket?: string;
}

/** What happened to a watched session: `now` is what its process holds, or undefined once the process is gone. */
export type OnChange = (now: HostSession | undefined, before: HostSession) => void;

/** The sessions of this computer. Nothing is ever chosen by recency, name or folder. */
export interface Sessions {
  /** All of them, verified now. */
  discover(): readonly HostSession[];
  /** What this process holds now; undefined when it is gone, or another took its number. */
  heldBy(provider: string, process: ProcessKey): HostSession | undefined;
  /** The session that the person chose from a list; a Refusal when it is no longer there. */
  chosen(sessionKey: string): HostSession;
  /** The session that asks, by the nearest host above the asking process; a Refusal says what is missing. */
  resolve(asker: Pick<Asker, 'provider' | 'pid' | 'sessionId'>): HostSession;
  /** Tells of the process's end, of another session in it, and of turns that begin and end. Answers how to stop. */
  watch(session: HostSession, onChange: OnChange): () => void;
  close(): void;
}

/** Opaque; names this session in this boot. */
export function sessionKeyOf({ provider, sessionId, process }: HostSession): string {
  const parts = [provider, sessionId, String(process.pid), process.startTime, process.bootId];
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 22);
}
