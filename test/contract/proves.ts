import { describe, test } from 'vitest';
import type { Door } from '../doors/door.ts';
import { doors } from '../doors/doors.ts';
import { asked } from '../doors/mcp.ts';
import { doorNames } from '../doors/names.ts';
import { inWorld, type World } from '../world/world.ts';
import type { Through } from './through.ts';

type Scene = (scene: { world: World; door: Door }) => Promise<void>;

/** Proves one assertion of docs/contract.md: one test per door, each in a world of its own. */
export function proves(assertion: string, sentence: string, scene: Scene, through?: Through): void {
  describe(`${assertion} ${sentence}`, () => {
    test.each(through?.doors ?? doorNames)('%s', async (name) => {
      const before = asked.times;
      await inWorld((world) => scene({ world, door: doors[name] }));
      if (name === 'mcp' && asked.times === before) throw new Error('asks no tool: say which doors it passes, and why');
    });
  });
}

/**
 * A known gap: the scene must fail. The day it passes it breaks the build, and becomes `proves`.
 *
 * @public There may be none today.
 */
export function lacks(assertion: string, sentence: string, scene: Scene, through: Through): void {
  describe(`lacks ${assertion} ${sentence}`, () => {
    test.fails.each(through.doors)('%s', (name) => inWorld((world) => scene({ world, door: doors[name] })));
  });
}
