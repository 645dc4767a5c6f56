import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Activity } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal } from '../../bridge/client/refusal.ts';
import { type HostSession, type OnChange, sessionKeyOf, type Sessions } from '../../bridge/sessions/session.ts';

interface Frame {
  readonly session_id: string;
  readonly msg_id: string;
  readonly from: string;
  readonly message: { readonly content: string };
}

/** Says to the sender what becomes of its message, as the host does to senders of its own kind. */
function tell({ from, msg_id }: Frame, status: string): void {
  const said = { type: 'control', action: 'peer_message_status', status, orig_msg_id: msg_id };
  const socket = connect(from.replace('uds:', ''), () => socket.end(`${JSON.stringify(said)}\n`));
  socket.on('error', () => {});
}

/** A live Claude Code chat as far as a bridge sees one: what it registered, and the socket that takes frames. */
export class ClaudeChat {
  readonly process: HostSession['process'];
  readonly frames: Frame[] = [];
  readonly #held: Frame[] = [];
  sessionId: string;
  activity = Activity.IDLE;
  isAlive = true;
  hasSocket = true;
  /** Keeps what comes until its person lets it in. */
  isHolding = false;
  /** Breaks a connection off instead of reading it. */
  isBroken = false;
  readonly #socket: string;
  readonly #server: Server;
  #wake: () => void = () => {};

  private constructor(folder: string, pid: number) {
    this.process = { pid, startTime: `start of ${pid}`, bootId: 'boot' };
    this.sessionId = `session-of-${pid}`;
    this.#socket = join(folder, `${pid}.sock`);
    this.#server = createServer((socket) => {
      if (this.isBroken) return void socket.destroy();
      let text = '';
      socket.setEncoding('utf8');
      socket.on('data', (chunk: string) => (text += chunk));
      socket.on('end', () => this.#read(text));
    });
  }

  static async open(folder: string, pid: number): Promise<ClaudeChat> {
    const chat = new ClaudeChat(folder, pid);
    await new Promise<void>((done) => chat.#server.listen(chat.#socket, done));
    return chat;
  }

  /** As the host does: a frame for another session is dropped without a word. */
  #read(text: string): void {
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const frame = JSON.parse(line) as Frame;
      if (frame.session_id !== this.sessionId) continue;
      if (this.isHolding) this.#held.push(frame);
      else this.frames.push(frame);
      if (this.isHolding) tell(frame, 'held');
    }
    this.#wake();
  }

  /** The person lets in what is held. */
  letIn(): void {
    for (const frame of this.#held.splice(0)) {
      this.frames.push(frame);
      tell(frame, 'delivered');
    }
    this.#wake();
  }

  /** The texts that came, once there are so many. */
  async heard(count: number): Promise<string[]> {
    while (this.frames.length < count) await new Promise<void>((done) => (this.#wake = done));
    return this.frames.map(({ message }) => message.content);
  }

  get session(): HostSession {
    return {
      provider: 'claude',
      sessionId: this.sessionId,
      process: this.process,
      folder: '/home/alice/project',
      title: 'a chat',
      activity: this.activity,
      startTime: undefined,
      version: '2.1.332',
      ...(this.hasSocket ? { socket: this.#socket } : { noSocket: 'this session has no messaging socket' }),
    };
  }

  close(): Promise<void> {
    return new Promise((done) => void this.#server.close(() => done()));
  }
}

/** The chats of one computer, as its operating system would confirm them. */
export class Chats implements Sessions {
  readonly all: ClaudeChat[] = [];
  readonly #watched = new Set<{ before: HostSession; readonly onChange: OnChange }>();

  discover(): HostSession[] {
    return this.all.filter(({ isAlive }) => isAlive).map(({ session }) => session);
  }

  heldBy(_provider: string, { pid, startTime }: HostSession['process']): HostSession | undefined {
    return this.discover().find(({ process }) => process.pid === pid && process.startTime === startTime);
  }

  chosen(sessionKey: string): HostSession {
    const session = this.discover().find((one) => sessionKeyOf(one) === sessionKey);
    if (session === undefined) throw new Refusal('NOT_FOUND', 'That session is no longer there.');
    return session;
  }

  resolve({ pid, sessionId }: { pid: bigint; sessionId: string }): HostSession {
    const session = this.discover().find(({ process }) => process.pid === Number(pid));
    if (session === undefined || (sessionId !== '' && session.sessionId !== sessionId))
      throw new Refusal('NOT_ALLOWED', 'Not below a live session.', { subject: 'pid' });
    return session;
  }

  watch(session: HostSession, onChange: OnChange): () => void {
    const entry = { before: session, onChange };
    this.#watched.add(entry);
    return () => this.#watched.delete(entry);
  }

  /** Tells whoever watches what became of the chats. */
  look(): void {
    for (const entry of this.#watched) {
      const now = this.heldBy('claude', entry.before.process);
      entry.onChange(now, entry.before);
      entry.before = now ?? entry.before;
    }
  }

  close(): void {
    this.#watched.clear();
  }
}
