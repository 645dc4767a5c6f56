import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { OnStatus, Status } from './route.ts';

const MOST_EXPECTED = 1_000;
const MOST_CHARACTERS = 16 * 1024;

/** What Claude Code says becomes of a message that it did not take at once. A message taken at once has no receipt. */
const statuses: Readonly<Record<string, Status>> = {
  held: 'held',
  delivered: 'let in',
  denied: 'refused',
  refused: 'refused',
  expired: 'refused',
  dropped: 'refused',
};

/**
 * Where Claude Code tells what it does with our messages: a socket of ours beside those of its sessions, named as it
 * names them, by our process. It says nothing to senders of any other kind.
 */
export class ClaudeReceipts {
  readonly #servers = new Map<string, Promise<Server | undefined>>();
  readonly #expected = new Map<string, OnStatus>();

  /** The sender's address for sessions of this folder; undefined where we cannot listen. */
  async addressIn(folder: string): Promise<string | undefined> {
    const path = join(folder, `${process.pid}.sock`);
    if (Buffer.byteLength(path) > 103) return undefined;
    const opening = this.#servers.get(folder) ?? this.#listen(path);
    this.#servers.set(folder, opening);
    return (await opening) === undefined ? undefined : `uds:${path}`;
  }

  #listen(path: string): Promise<Server | undefined> {
    return new Promise((done) => {
      const server = createServer((socket) => this.#read(socket));
      server.on('error', () => done(undefined));
      // A process of before had our number.
      rmSync(path, { force: true });
      const before = process.umask(0o177);
      try {
        server.listen(path, () => done(server));
      } finally {
        process.umask(before);
      }
      server.unref();
    });
  }

  expect(messageId: string, onStatus: OnStatus): void {
    this.#expected.set(messageId, onStatus);
    const [oldest] = this.#expected.keys();
    if (this.#expected.size > MOST_EXPECTED && oldest !== undefined) this.#expected.delete(oldest);
  }

  #read(socket: Socket): void {
    let text = '';
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_CHARACTERS) return socket.destroy();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.#hear(line);
      return undefined;
    });
  }

  #hear(line: string): void {
    const said = parse(line);
    const status = statuses[String(said?.['status'])];
    if (said?.['action'] !== 'peer_message_status' || status === undefined) return;
    this.#expected.get(String(said['orig_msg_id']))?.(status);
  }

  async close(): Promise<void> {
    for (const opening of this.#servers.values()) (await opening)?.close();
    this.#servers.clear();
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
