import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect } from '../../bridge/client/index.ts';
import type { CrashPoint } from '../../bridge/crash-point.ts';
import { openJournal } from '../../bridge/journal/open.ts';
import { chance, seeds } from '../auditor/chance.ts';
import { figures } from '../auditor/figures.ts';
import { walk } from '../auditor/walk.ts';
import { rpc } from '../doors/rpc.ts';
import { attached } from '../world/attached.ts';
import { lease } from '../world/journal.ts';
import type { Agent } from '../world/people.ts';
import { inScene, type Scene } from './scene.ts';

const LAST = 'the last of all';

/** A computer whose bridge is killed: one session, bob's, which takes what it is offered and writes to alice. */
class Computer {
  readonly folder: string;
  readonly #scene: Scene;

  private constructor(scene: Scene) {
    this.#scene = scene;
    this.folder = join(scene.folder, 'bridge');
    mkdirSync(this.folder, { mode: 0o700 });
  }

  static async open(scene: Scene): Promise<Computer> {
    const computer = new Computer(scene);
    const { attachment, attachmentId, child, startCursor } = await attached(scene.owner, 'bob');
    const { agentId } = attachment;
    const journal = computer.journal();
    journal.saveLease({ ...lease(attachmentId), agentId, childSecret: child.secret!, cursor: startCursor });
    journal.close();
    return computer;
  }

  journal() {
    return openJournal(join(this.folder, 'journal.db'));
  }

  start(crashPoint = '') {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'bridge-host.ts'), this.folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        HOST_SERVER: this.#scene.url,
        HOST_SECRET: this.#scene.owner.secret,
        AGENTWORKS_BRIDGE_CRASH_POINT: crashPoint,
      },
    });
    child.stderr.pipe(createWriteStream(`${this.folder}.log`, { flags: 'a' }));
    return { child, ended: once(child, 'exit').then(([code, signal]) => (signal ?? code) as string | number) };
  }

  lines(file: string): string[] {
    const path = join(this.folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  }
}

/** Writes to bob until told to stop, asking again until it knows. */
function writer(agent: Agent, url: string) {
  const client = connect({ address: url, secret: agent.secret, plaintext: true });
  const answered: string[] = [];
  const stopping = new AbortController();
  const say = async (body: string) => {
    const { messageId } = await client.send({ target: 'agent:bob', agentName: agent.agentName, body });
    answered.push(messageId);
  };
  const done = (async () => {
    for (let n = 1; !stopping.signal.aborted; n++) {
      await say(`${agent.agentName} ${n}`);
      await later(4);
    }
  })();
  return {
    answered,
    say,
    stop: async () => {
      stopping.abort();
      await done;
    },
    close: client.close,
  };
}

/** A scene in which bridges are killed while three agents write, and what became of everything. */
const killing = (name: string, kill: (computer: Computer, scene: Scene) => Promise<number>) =>
  inScene({}, async (scene) => {
    const [alice, bob] = [await scene.agent('alice'), await scene.agent('bob')];
    const computer = await Computer.open(scene);
    const writers = [];
    for (let n = 1; n <= 3; n++) writers.push(writer(await scene.agent(`writer-${n}`), scene.url));
    const kills = await kill(computer, scene);
    const last = computer.start();
    for (const one of writers) await one.stop();
    await writers[0]!.say(LAST);
    while (!computer.lines('turns').some((line) => line.endsWith(LAST))) await later(20);
    last.child.kill('SIGTERM');
    expect(await last.ended).toBe(0);
    for (const one of writers) one.close();
    expect(computer.lines('faults')).toEqual([]);

    const answered = writers.flatMap((one) => one.answered);
    const readable = new Set((await walk(rpc.as(bob).messages.read, {}, () => 100)).map(({ messageId }) => messageId));
    const turns = computer.lines('turns').map((line) => line.split(' ')[0]!);
    const ambiguous = answered.filter((id) => !turns.includes(id));
    const journal = computer.journal();
    const offered = new Set(journal.unadmitted(journal.leases()[0]!.attachmentId));
    journal.close();

    const sent = (await walk(rpc.as(alice).messages.read, {}, () => 100)).map(({ body }) => Number(body));
    const promised = computer.lines('promised').map((line) => Number(line.split(' ')[0]));
    const stored = new Set(sent);
    const counts = {
      lost: answered.filter((id) => !readable.has(id)).length + promised.filter((n) => !stored.has(n)).length,
      duplicated_turns: turns.length - new Set(turns).size,
      duplicated_sends: sent.length - stored.size,
      out_of_order: sent.filter((n, at) => at > 0 && n < sent[at - 1]!).length,
      unexplained: ambiguous.filter((id) => !offered.has(id) || !readable.has(id)).length,
    };
    const shown = `${ambiguous.length} (all readable)`;
    const work = { kills, received: answered.length, turns: turns.length, sent: sent.length };
    figures(name, { ...work, ...counts, ambiguous: shown });
    expect(Math.min(turns.length, promised.length)).toBeGreaterThan(kills);
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
  });

/** Of those only a bridge whose server is away passes. */
type AwayPoint = 'acknowledge.kept' | 'detach.kept' | 'detach.told';

/** Each point, and how often at most it is passed before the bridge dies there. */
const points: Record<Exclude<CrashPoint, AwayPoint>, number> = {
  'journal.received': 8,
  'cursor.saved': 8,
  'offer.persisted': 8,
  'offer.emitted': 8,
  'acknowledge.sent': 8,
  'outbox.sent': 30,
};

test.each(Object.entries(points))(
  'BRG-2a, BRG-4a, BRG-4b a bridge killed at %s under load loses nothing, and starts no turn twice',
  (point, most) =>
    killing(`bridge killed at ${point}`, async (computer) => {
      for (let seed = 1; seed <= seeds; seed++) {
        const passing = 1 + Math.floor(chance(seed)() * most);
        expect(await computer.start(`${point}:${passing}`).ended).toBe('SIGKILL');
      }
      return seeds;
    }),
);

test('BRG-4b bridge and server killed at any moment lose nothing, and start no turn twice', () =>
  killing('bridge and server killed', async (computer, scene) => {
    for (let seed = 1; seed <= 2 * seeds; seed++) {
      const before = computer.lines('turns').length;
      const { child, ended } = computer.start();
      while (computer.lines('turns').length === before) await later(5);
      await later(200 * chance(seed)());
      if (seed % 2 === 0) await scene.restart();
      child.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
    }
    return 2 * seeds;
  }));
