import type { DoorName } from '../doors/names.ts';

/** The doors a scene goes through when not all; `because` is required, and printed by `npm run contract`. */
export interface Through {
  readonly doors: readonly DoorName[];
  readonly because: string;
}

const otherDoors = ['rpc', 'http', 'cli'] as const;

export const noStreamingTool: Through = {
  doors: otherDoors,
  because: 'no tool holds a stream: a client polls with wait_seconds',
};
export const noManagingTool: Through = {
  doors: otherDoors,
  because: 'no tool manages connections: what a person lets in must not let in more',
};
export const noPersonsTool: Through = {
  doors: otherDoors,
  because: 'no tool does it: the directory is list_agents, a purpose goes with register, wakes are a person’s to reset',
};
export const toolPagesFit: Through = {
  doors: otherDoors,
  because: 'a page of a tool ends at 24 kB of text, as test/mcp/pages.test.ts shows',
};
