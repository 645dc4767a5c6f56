import type { Clock } from '../core/clock.ts';
import type { Database } from '../core/database.ts';
import type { Hub } from '../core/hub.ts';
import type { Log } from '../core/log.ts';
import { lastSeqs } from './store/pages.ts';

/** How long a reader may be unaware of a message whose wake was lost: a node that died between commit and NOTIFY. */
const EVERY_MS = 5_000;
const PREFIX = 'mailbox:';

/** One question a node, however many readers wait: which of their mailboxes moved without a wake? */
export async function repair(
  deps: { orm: Database; hub: Hub; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  let seen = new Map<string, string>();
  while (!signal.aborted) {
    await deps.clock.wait(EVERY_MS, signal);
    const waiting = deps.hub.topics(PREFIX);
    if (waiting.length === 0 || signal.aborted) continue;
    try {
      const now = await lastSeqs(
        deps.orm.em.fork(),
        waiting.map((topic) => topic.slice(PREFIX.length)),
      );
      for (const [id, seq] of now) if (seen.get(id) !== seq) deps.hub.wake(`${PREFIX}${id}`);
      seen = now;
    } catch (error) {
      deps.log.warn({ event: 'repair.failed', err: error });
    }
  }
}
