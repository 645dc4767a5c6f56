import { canAsk } from '../answers.ts';
import type { Context } from '../command.ts';
import { isAskedPlain } from '../faces/face.ts';

/** Whether a screen may be opened: a terminal, a keyboard, and nobody who wants lines instead. */
export const canDraw = ({ io, globals }: Pick<Context, 'io' | 'globals'>): boolean =>
  canAsk(io) && io.screen !== undefined && !globals.json && !globals.accessible && !isAskedPlain(io.env);
