import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import type { Where } from '../../server/core/database.ts';
import { connect, Refusal } from '../../bridge/client/index.ts';
import { type Audit, audit, type Reading } from '../auditor/audit.ts';
import { Ledger } from '../auditor/ledger.ts';
import { Receiver } from '../auditor/receiver.ts';
import { Sender, type SenderOptions } from '../auditor/sender.ts';
import { walk } from '../auditor/walk.ts';
import { rpc } from '../doors/rpc.ts';
import { newAccount } from '../world/account.ts';
import { attached } from '../world/attached.ts';
import { dropDatabase, newDatabase } from '../world/database.ts';
import { Leftovers } from '../world/leftovers.ts';
import type { Account, Agent, Person } from '../world/people.ts';
import { freePort, ServerProcess, type ProcessSettings } from './server-process.ts';

/** Receipts are asked for one by one; so many are a fair sample. */
const RECEIPTS = 150;

interface Kind {
  /** A PostgreSQL of the server's own, instead of a database in the one that all tests share. */
  readonly embedded?: boolean;
  /** What runs the servers, when they are not started directly. */
  readonly within?: (data: string) => readonly string[];
}

/** Agents that talk through a server which is killed while they do. */
export class Scene {
  readonly ledger = new Ledger();
  readonly folder = mkdtempSync(join(tmpdir(), 'agentworks-crash-'));
  readonly data = join(this.folder, 'data');
  readonly where: Where | undefined;
  readonly port: number;
  readonly agents: Agent[] = [];
  readonly #kind: Kind;
  readonly #leftovers = new Leftovers();
  readonly #followed: Reading[] = [];
  #running: { stop(): Promise<void> }[] = [];
  readonly #servers = new Set<ServerProcess>();
  #server: ServerProcess | undefined;
  account!: Account;
  owner!: Person;

  private constructor(kind: Kind, where: Where | undefined, port: number) {
    this.#kind = kind;
    this.where = where;
    this.port = port;
  }

  static async open(kind: Kind = {}): Promise<Scene> {
    const scene = new Scene(kind, kind.embedded === true ? undefined : await newDatabase(), await freePort());
    await scene.restart();
    const { data, folder, url: server } = scene;
    scene.account = await newAccount('local', { server, data, folder, leftovers: scene.#leftovers });
    scene.owner = await scene.account.person();
    return scene;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The server that has the scene's own port now. */
  get server(): ServerProcess {
    return this.#server!;
  }

  /** Kills what runs on the scene's own port, should it still run, and starts it again. */
  async restart(crashPoint?: ProcessSettings['crashPoint']): Promise<ServerProcess> {
    await this.#server?.kill();
    this.#server = await this.#start({ data: this.data, port: this.port, crashPoint });
    return this.#server;
  }

  /** Another server over the same database. */
  async secondNode(crashPoint?: ProcessSettings['crashPoint']): Promise<{ server: ServerProcess; url: string }> {
    const port = await freePort();
    const server = await this.#start({ data: join(this.folder, `data-${port}`), port, crashPoint });
    return { server, url: `http://127.0.0.1:${port}` };
  }

  async #start(settings: Pick<ProcessSettings, 'data' | 'port' | 'crashPoint'>): Promise<ServerProcess> {
    const server = new ServerProcess({
      ...settings,
      database: this.where,
      within: this.#kind.within?.(settings.data) ?? [],
    });
    this.#servers.add(server);
    void server.ended.then(() => this.#servers.delete(server));
    return server.ready();
  }

  /** `count` agents that write to bob without end, who is attached, and followed here and at other servers. */
  async load(count: number, options: Partial<SenderOptions> & { readonly alsoAt?: string } = {}): Promise<void> {
    const bob = await this.agent('bob');
    const writers: Agent[] = [];
    for (let n = 1; n <= count; n++) writers.push(await this.agent(`writer-${n}`));
    const receiver = new Receiver(this.owner, await attached(this.owner, 'bob'), this.ledger);
    this.#followed.push({ mailbox: 'bob', messages: receiver.delivered });
    for (const url of [this.url, options.alsoAt ?? this.url]) this.#running.push(this.follow(bob, url));
    this.#running.push(receiver);
    for (const writer of writers) this.#running.push(new Sender(writer, this.ledger, { to: 'bob', ...options }));
  }

  /** Everyone whose mailbox is read in the end. */
  async agent(name: string): Promise<Agent> {
    const agent = await this.account.agent(name);
    this.agents.push(agent);
    return agent;
  }

  /** How often senders asked again, by the reason they were given. */
  get retries(): Record<string, number> {
    const all: Record<string, number> = {};
    for (const one of this.#running)
      if (one instanceof Sender) for (const [reason, count] of one.retries) all[reason] = (all[reason] ?? 0) + count;
    return all;
  }

  /** Resolves when another send is answered. */
  answersAgain(): Promise<void> {
    return this.answered(this.ledger.acked + 1);
  }

  /** Resolves once so many sends are answered. */
  async answered(count: number): Promise<void> {
    while (this.ledger.acked < count) await later(5);
  }

  /** A program that follows a mailbox across every break. */
  follow(agent: Agent, server: string) {
    const client = connect({ address: server, secret: agent.secret, plaintext: true });
    const leaving = new AbortController();
    const reading = { mailbox: agent.agentName, messages: [] as Reading['messages'][number][] };
    this.#followed.push(reading);
    const done = (async () => {
      for await (const batch of client.watchMailbox(agent.agentName, { signal: leaving.signal }))
        reading.messages.push(...batch.messages);
    })();
    return {
      reading,
      stop: async () => {
        leaving.abort();
        await done.catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
        });
        client.close();
      },
    };
  }

  /** Ends the load: every sender asks until it knows. */
  async quiet(): Promise<void> {
    const running = this.#running.toReversed();
    this.#running = [];
    for (const one of running) await one.stop();
  }

  /** Reads everything there is through the doors, and compares. */
  async audit(): Promise<Audit> {
    const whole: Reading[] = [];
    for (const agent of this.agents)
      for (const size of [100, 37]) {
        const messages = await walk(rpc.as(agent).messages.read, {}, () => size);
        whole.push({ mailbox: agent.agentName, messages });
      }
    return audit({ ledger: this.ledger, whole, followed: this.#followed, receipts: await this.#receipts() });
  }

  async #receipts() {
    const answered = this.ledger.entries.filter(({ copies }) => copies !== undefined);
    const step = Math.max(1, Math.floor(answered.length / RECEIPTS));
    const receipts = new Map<string, { state: number; stored: number }>();
    for (const { said, copies } of answered.filter((_, n) => n % step === 0)) {
      const sender = this.agents.find(({ agentName }) => agentName === said.sender)!;
      for (const { messageId } of copies!) {
        const [receipt] = (await rpc.as(sender).messages.getReceipts({ messageId })).receipts;
        const stored = receipt!.events.filter(({ kind }) => kind === 1).length;
        receipts.set(messageId, { state: receipt!.state, stored });
      }
    }
    return receipts;
  }

  /** Ends every server, the embedded PostgreSQL with its own. */
  async abandon(): Promise<void> {
    for (const server of this.#servers) {
      server.child.kill('SIGCONT');
      await server.kill('SIGTERM');
    }
  }

  async close(): Promise<void> {
    await this.quiet();
    this.#leftovers.leave();
    await this.abandon();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.where !== undefined) await dropDatabase(this.where);
  }
}

/** A scene that is closed when it ends well; of one that does not, the logs are kept for a look. */
export async function inScene(kind: Kind, play: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = await Scene.open(kind);
  try {
    await play(scene);
  } catch (error) {
    await scene.abandon();
    throw error;
  }
  await scene.close();
}
