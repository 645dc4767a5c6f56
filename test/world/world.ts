import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveOn } from '../../server/compose.ts';
import { readConfig } from '../../server/core/config.ts';
import type { Where } from '../../server/core/database.ts';
import { newLog } from '../../server/core/log.ts';
import { newAccount } from './account.ts';
import { MovedClock } from './clock.ts';
import { giveBack, takeDatabase } from './database.ts';
import { Leftovers } from './leftovers.ts';
import type { Account, Person } from './people.ts';

/** Variables of the server's environment. */
type Settings = Readonly<Record<string, string>>;
type Running = Awaited<ReturnType<typeof serveOn>>;

/** One server process's worth of a world. */
export interface Node {
  readonly url: string;
  readonly running: Running;
}

/** A server on a port of its own over a database of its own, and the people who knock at it. */
export class World implements Account {
  readonly name = 'local';
  readonly clock = new MovedClock();
  readonly where: Where;
  readonly #settings: Settings;
  readonly #folder = mkdtempSync(join(tmpdir(), 'agentworks-world-'));
  readonly #leftovers = new Leftovers();
  readonly #nodes: (Node & { readonly data: string })[] = [];
  #started = 0;
  #local: Account | undefined;

  constructor(where: Where, settings: Settings = {}) {
    this.where = where;
    this.#settings = settings;
  }

  get url(): string {
    return this.first.url;
  }

  get data(): string {
    return this.first.data;
  }

  /** The first server. */
  get first(): Node & { readonly data: string } {
    return this.#nodes[0]!;
  }

  async person(): Promise<Person> {
    return (await this.#home()).person();
  }

  async program(label: string): Promise<Person> {
    return (await this.#home()).program(label);
  }

  async agent(name: string) {
    return (await this.#home()).agent(name);
  }

  /** Another account on the same server. */
  account(name: string): Promise<Account> {
    return newAccount(name, { server: this.url, data: this.data, folder: this.#folder, leftovers: this.#leftovers });
  }

  async #home(): Promise<Account> {
    this.#local ??= await this.account(this.name);
    return this.#local;
  }

  /** Another server over the same database. */
  async secondNode(): Promise<Node> {
    return this.start(0);
  }

  /** The same person, knocking at another server. */
  at<P extends Person>(node: Node, person: P): P {
    return { ...person, server: node.url };
  }

  /** Stops the first server and starts it again, on the same port and data. */
  async restart(): Promise<void> {
    await this.whileAway(async () => {});
  }

  /** The first server is away until what happens meanwhile is over. */
  async whileAway(act: () => Promise<void>): Promise<void> {
    const old = this.#nodes.shift()!;
    await old.running.close();
    await act();
    const node = await this.start(old.running.port, old.data);
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#nodes.unshift(node);
  }

  /** Starts a server; port 0 is any free one. */
  async start(port: number, data = join(this.#folder, `data-${this.#started++}`)) {
    const config = readConfig({
      AGENTWORKS_DATA: data,
      AGENTWORKS_ADDRESS: `127.0.0.1:${port}`,
      AGENTWORKS_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      ...this.#settings,
    });
    const running = await serveOn(this.where, config, newLog(config.logLevel), { clock: this.clock });
    const node = { url: running.url, running, data };
    this.#nodes.push(node);
    return node;
  }

  /** Throws when a stream, a socket or a database connection was left open, unless the scene failed anyway. */
  async close(hasFailed = false): Promise<void> {
    const streams = this.#leftovers.streams();
    this.#leftovers.leave();
    for (const node of this.#nodes) await node.running.close();
    rmSync(this.#folder, { recursive: true, force: true });
    if (hasFailed) return;
    if (streams.length > 0) throw new Error(`left open: ${streams.join(', ')}`);
    await giveBack(this.where);
    await this.#leftovers.refuse();
  }
}

/** A world for a test that looks after closing it; `inWorld` does both. */
export async function newWorld(settings: Settings = {}): Promise<World> {
  const world = new World(await takeDatabase(), settings);
  await world.start(0);
  return world;
}

/** A scene in a world of its own: what it leaves open fails it. */
export async function inWorld(scene: (world: World) => Promise<void>, settings: Settings = {}): Promise<void> {
  const world = await newWorld(settings);
  let failure: unknown;
  try {
    await scene(world);
  } catch (error) {
    failure = error;
  }
  // What the scene met first is what went wrong; what it then left open is only a consequence.
  await world.close(failure !== undefined);
  if (failure !== undefined) throw failure;
}
