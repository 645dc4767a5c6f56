import type { LinkRequest } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Waiter } from '../core/hub.ts';
import { newId } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { Alive, PING_SECONDS } from './alive.ts';
import type { Holder, LinkDeps } from './deps.ts';
import { FrameHandler } from './frames.ts';
import { Leases } from './leases.ts';
import { type Down, Outbox } from './outbox.ts';
import { addLink, removeLink } from './store.ts';

/** One bridge, or one program, and everything it does over one stream (BRG-1). */
export async function* link(
  deps: LinkDeps,
  holder: Holder,
  frames: AsyncIterable<LinkRequest>,
  signal: AbortSignal,
): AsyncGenerator<Down> {
  const incoming = frames[Symbol.asyncIterator]();
  const first = await incoming.next();
  if (first.done === true || first.value.frame.case !== 'hello')
    throw new Problem(Reason.MALFORMED, 'the first frame of a link is hello', { subject: 'frame' });
  const linkId = newId('lnk');
  const { computer } = first.value.frame.value;
  const { nodeId, epoch, version } = deps;
  await addLink(deps.orm.em.fork(), { id: linkId, nodeId, ...holder, computer });
  const over = new AbortController();
  let failure: unknown;
  const stop = AbortSignal.any([signal, over.signal]);
  const anything = new Waiter(() => {});
  const outbox = new Outbox(() => anything.wake());
  const leases = new Leases(deps, linkId, outbox, () => anything.wake());
  const alive = new Alive(deps, outbox, (why) => {
    failure = why;
    over.abort();
  });
  void alive.watch(stop);
  void receive(incoming, new FrameHandler(deps, holder, leases, outbox), alive, stop)
    .catch((error: unknown) => (failure = error))
    .finally(() => over.abort());
  try {
    yield { frame: { case: 'welcome', value: { version, epoch, pingSeconds: PING_SECONDS, capabilities: [] } } };
    while (!stop.aborted) {
      // What was said is answered before what is new; what is new is read only once the last of it has left (slow
      // readers are paused at their cursor, never buffered).
      const frame = outbox.take() ?? (await leases.deliveries());
      if (frame === undefined) await anything.next(stop);
      else yield frame;
    }
    if (signal.aborted) return;
    if (failure !== undefined) throw failure;
    // Whoever asks no more still hears what it asked for.
    for (let frame = outbox.take(); frame !== undefined; frame = outbox.take()) yield frame;
  } finally {
    over.abort();
    leases[Symbol.dispose]();
    await removeLink(deps.orm.em.fork(), linkId).catch((error: unknown) => {
      // The node's lease takes its links with it, should the database be away.
      deps.log.warn({ event: 'link.left-behind', linkId, err: error });
    });
    deps.notifier.announce([`account:${holder.accountId}`]);
  }
}

/** Reads frames until the other side is done. */
async function receive(
  frames: AsyncIterator<LinkRequest>,
  handler: FrameHandler,
  alive: Alive,
  stop: AbortSignal,
): Promise<void> {
  for (let next = await frames.next(); next.done !== true && !stop.aborted; next = await frames.next()) {
    const { frame } = next.value;
    await alive.hear(() => handler.handle(frame));
  }
  await handler.finish();
}
