import { afterAll, expect, test } from 'vitest';
import type { CrashPoint } from '../../server/core/crash-point.ts';
import { figures, judge } from '../auditor/figures.ts';
import { chance, seeds } from '../auditor/chance.ts';
import { inScene } from './scene.ts';

/** Each point, and how often at most it is passed before the server dies there. */
const points: Record<CrashPoint, number> = {
  'batch.collected': 60,
  'batch.committed': 60,
  'send.answered': 60,
  'notify.sent': 60,
  'stream.yielded': 60,
  'offer.claimed': 30,
  'acknowledge.committed': 30,
};

const all = { points: 0, kills: 0, acked: 0, lost: 0, duplicated: 0 };
afterAll(() => figures('kill points', all));

test.each(Object.entries(points))(
  'a server killed at %s under load loses and repeats nothing',
  (point, most) =>
    inScene({}, async (scene) => {
      // Alone, a server tells nobody; and whoever reads elsewhere must miss nothing either.
      const second = await scene.secondNode();
      await scene.load(6, { broadcastsEvery: 9, alsoAt: second.url });
      let kills = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const passing = 1 + Math.floor(chance(seed)() * most);
        const server = await scene.restart({ name: point as CrashPoint, passing });
        expect(await server.ended).toBe('SIGKILL');
        kills++;
      }
      await scene.restart();
      await scene.quiet();
      const found = await scene.audit();
      all.points++;
      all.kills += kills;
      all.acked += found.acked;
      all.lost += found.faults.lost;
      all.duplicated += found.faults.duplicated;
      judge(point, { kills, servers: 2 }, found);
    }),
  30_000 + 20_000 * seeds,
);
