import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, createRouterTransport } from '@connectrpc/connect';
import { LocalService } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { type Bridge, composeBridge } from '../../bridge/compose.ts';
import { explained } from '../../bridge/socket/explained.ts';
import { Chats, ClaudeChat } from './claude-chat.ts';
import type { Person } from './people.ts';

/** A person's computer: live chats, and the bridge that brings messages to those that are attached. */
export class Computer implements AsyncDisposable {
  readonly chats = new Chats();
  readonly notices: string[] = [];
  readonly events: string[] = [];
  /** The messages that the server would not let wake a chat, once for each time it was asked. */
  readonly refusedWakes: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'agentworks-computer-'));
  readonly #person: Person;
  #bridge: Bridge | undefined;
  #finished: () => void = () => {};
  #ahead = 0;

  constructor(person: Person) {
    this.#person = person;
    mkdirSync(join(this.#folder, 'attached'), { mode: 0o700 });
    mkdirSync(join(this.#folder, 'state'), { mode: 0o700 });
    this.start();
  }

  start(): void {
    const { server, secret = '', connectionId } = this.#person;
    this.#finished = this.#person.opens('a bridge');
    this.#bridge = composeBridge({
      signIn: { server, connectionId, plaintext: true },
      secret,
      version: '0.1.0',
      journal: join(this.#folder, 'state', 'journal.sqlite'),
      markers: join(this.#folder, 'attached'),
      socket: join(this.#folder, 'socket'),
      sessions: this.chats,
      notice: (_title, text) => this.notices.push(text),
      hasPlugin: () => true,
      log: (event, fields) => {
        this.events.push(event);
        if (event === 'offer.no-wake') this.refusedWakes.push(...(fields?.['messageIds'] as string[]));
        if (process.env['TEST_LOG_LEVEL'] !== undefined) console.error(event, fields);
      },
      stop: () => {},
      now: () => Date.now() + this.#ahead,
    });
  }

  async stop(): Promise<void> {
    await this.#bridge?.close();
    this.#bridge = undefined;
    this.#finished();
  }

  pass(ms: number): void {
    this.#ahead += ms;
  }

  get local(): Client<typeof LocalService> {
    const interceptors = [
      explained((error) => {
        throw error;
      }),
    ];
    return createClient(LocalService, createRouterTransport(this.#bridge!.routes, { router: { interceptors } }));
  }

  /** The sessions whose hooks ask the bridge at all. */
  get marked(): string[] {
    return readdirSync(join(this.#folder, 'attached'));
  }

  async chat(pid: number): Promise<ClaudeChat> {
    const chat = await ClaudeChat.open(this.#folder, pid);
    this.chats.all.push(chat);
    return chat;
  }

  /** How many messages wait for this chat. */
  async waiting(chat: ClaudeChat): Promise<number> {
    const { sessions } = await this.local.listSessions({});
    return sessions.find(({ sessionId }) => sessionId === chat.sessionId)?.waiting ?? 0;
  }

  /** A hook of this chat asks; what it prints. */
  async hook(chat: ClaudeChat, event: string, payload: object = {}): Promise<Record<string, unknown> | undefined> {
    const body = JSON.stringify({ hook_event_name: event, session_id: chat.sessionId, ...payload });
    const output = await this.#bridge!.askHook({ provider: 'claude', hostPid: chat.process.pid, body });
    return output === '' ? undefined : (JSON.parse(output) as Record<string, unknown>);
  }

  /** The person types our command in this chat. Answers what they read. */
  async types(chat: ClaudeChat, command: string, payload: object = {}): Promise<string> {
    const output = await this.hook(chat, 'UserPromptExpansion', {
      command_name: 'agentworks:agentworks',
      command_source: 'plugin',
      command_args: command,
      ...payload,
    });
    return String(output?.['reason']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#bridge !== undefined) await this.stop();
    for (const chat of this.chats.all) await chat.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
