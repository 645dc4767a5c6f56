import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judge } from '../auditor/figures.ts';
import { chance, seeds } from '../auditor/chance.ts';
import { killPostgres } from './database.ts';
import { inScene, type Scene } from './scene.ts';

const victims: Record<string, (scene: Scene) => Promise<void>> = {
  server: async (scene) => {
    await scene.restart();
  },
  database: async (scene) => {
    expect(killPostgres(scene.data)).toBeGreaterThan(1);
  },
  'server and database': async (scene) => {
    killPostgres(scene.data);
    await scene.restart();
  },
};

test.each(Object.entries(victims))(
  'MSG-1f killing the %s at any moment under load loses and repeats nothing',
  (who, kill) =>
    inScene({ embedded: true }, async (scene) => {
      await scene.load(6, { broadcastsEvery: 9 });
      const outages: number[] = [];
      for (let seed = 1; seed <= seeds; seed++) {
        await scene.answersAgain();
        await later(100 + 400 * chance(seed)());
        const begun = performance.now();
        await kill(scene);
        await scene.answersAgain();
        outages.push(Math.round(performance.now() - begun));
      }
      await scene.quiet();
      const counts = { kills: outages.length, worst_outage_ms: Math.max(...outages) };
      judge(`${who} killed`, counts, await scene.audit());
    }),
  30_000 + 20_000 * seeds,
);
