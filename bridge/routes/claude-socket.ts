import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { ClaudeReceipts } from './claude-receipts.ts';
import type { Outcome, Route } from './route.ts';

const PATIENCE_MS = 3_000;

export const CLAUDE_SOCKET = 'claude-socket';

/**
 * Claude Code's messaging socket of one session: wakes it when idle, and reaches it between two tool calls when busy. A
 * draft in its prompt stays. Nothing answers that the text was taken: the prompt hook shows it, and the agent
 * acknowledges it.
 */
export const claudeSocket = (receipts: Pick<ClaudeReceipts, 'addressIn' | 'expect'>): Route => ({
  name: CLAUDE_SOCKET,
  maxBytes: 96 * 1024,
  reach(session) {
    if (session.socket === undefined)
      return { ok: false, why: session.noSocket ?? 'the session has no messaging socket' };
    return { ok: true, wakes: true };
  },
  async offer({ socket, sessionId }, text, onStatus) {
    if (socket === undefined) return { failed: 'the messaging socket is gone' };
    const messageId = randomUUID();
    receipts.expect(messageId, onStatus);
    const frame = {
      type: 'user',
      // The host drops a frame for another session: /clear and resume may change it at any moment.
      session_id: sessionId,
      msg_id: messageId,
      from: (await receipts.addressIn(dirname(socket))) ?? 'agentworks',
      priority: 'next',
      message: { role: 'user', content: text },
    };
    return write(socket, `${JSON.stringify(frame)}\n`);
  },
});

/** Writes once. Until the connection stands nothing can have arrived; from then on nobody can tell until it closed well. */
function write(socket: string, line: string): Promise<Outcome> {
  return new Promise((done) => {
    let isConnected = false;
    const connection = connect(socket);
    const end = (outcome: Outcome): void => {
      connection.destroy();
      done(outcome);
    };
    const trouble = (why: string): void => end(isConnected ? 'ambiguous' : { failed: why });
    connection.setTimeout(PATIENCE_MS, () => trouble('the messaging socket does not answer'));
    connection.on('error', (error: NodeJS.ErrnoException) => trouble(`the messaging socket fails (${error.code})`));
    connection.on('connect', () => {
      isConnected = true;
      connection.end(line);
    });
    // The host closes its side once it has read ours to its end.
    connection.on('end', () => end(connection.writableFinished ? 'accepted' : 'ambiguous'));
    connection.on('close', () => end('ambiguous'));
    connection.resume();
  });
}
