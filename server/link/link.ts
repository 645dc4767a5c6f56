import { hostname } from 'node:os';
import type { Bind, LeaseBinding, LinkRequest } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../access/callers.ts';
import { Waiter } from '../core/hub.ts';
import { newId } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { check } from '../core/request-fields.ts';
import type { InTurn } from '../messages/send.ts';
import type { Holder, LinkDeps } from './deps.ts';
import { Leases } from './leases.ts';
import { type Down, Outbox } from './outbox.ts';
import { addLink, removeLink } from './store.ts';

const PING_SECONDS = 10;
const PONG_MS = 5_000;
/** Submissions whose answers are outstanding; beyond them we read no further frame, and TCP slows the sender down. */
const MOST_OUTSTANDING = 2_000;

/** One bridge, or one program, and everything it does over one stream (BRG-1). */
export async function* link(
  deps: LinkDeps,
  person: Holder,
  frames: AsyncIterable<LinkRequest>,
  signal: AbortSignal,
): AsyncGenerator<Down> {
  const incoming = frames[Symbol.asyncIterator]();
  const first = await incoming.next();
  if (first.done === true || first.value.frame.case !== 'hello')
    throw new Problem(Reason.MALFORMED, 'the first frame of a link is hello', { subject: 'frame' });
  const linkId = newId('lnk');
  const computer = first.value.frame.value.computer || hostname().slice(0, 64);
  const { nodeId, epoch, version } = deps;
  await addLink(deps.orm.em.fork(), { id: linkId, nodeId, ...person, computer });
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const anything = new Waiter(() => {});
  const outbox = new Outbox(() => anything.wake());
  const leases = new Leases(deps, linkId, outbox, () => anything.wake());
  const alive = new Alive(deps, outbox, (why) => over.abort(why));
  void alive.watch(stop);
  void pump(deps, person, incoming, { leases, outbox, alive }, stop).then(
    () => over.abort(),
    (error: unknown) => over.abort(error),
  );
  try {
    yield { frame: { case: 'welcome', value: { version, epoch, pingSeconds: PING_SECONDS, capabilities: [] } } };
    while (!stop.aborted) {
      // What was said is answered before what is new; what is new is read only once the last of it has left (slow
      // readers are paused at their cursor, never buffered).
      const frame = outbox.take() ?? (await leases.deliveries());
      if (frame === undefined) await anything.next(stop);
      else yield frame;
    }
    if (over.signal.reason instanceof Problem) throw over.signal.reason;
  } finally {
    over.abort();
    leases[Symbol.dispose]();
    await removeLink(deps.orm.em.fork(), linkId).catch((error: unknown) => {
      // The node's lease takes its links with it, should the database be away.
      deps.log.warn({ event: 'link.left-behind', linkId, err: error });
    });
    deps.notifier.announce([`account:${person.accountId}`]);
  }
}

interface Hands {
  readonly leases: Leases;
  readonly outbox: Outbox;
  readonly alive: Alive;
}

/** Reads frames until the other side is done. Each act answers for itself; one refusal harms no other. */
async function pump(
  deps: LinkDeps,
  person: Holder,
  frames: AsyncIterator<LinkRequest>,
  hands: Hands,
  stop: AbortSignal,
): Promise<void> {
  const { leases, outbox, alive } = hands;
  const answer = (tag: bigint, act: Promise<Parameters<Outbox['answer']>[1]>): Promise<void> =>
    act.then(
      (outcome) => outbox.answer(tag, outcome),
      (error: unknown) => outbox.answer(tag, { case: 'problem', value: deps.refusal(error, 'BridgeService/Link') }),
    );
  const as = (attachmentId: string): Known => (attachmentId === '' ? person : leases.child(attachmentId));
  const inTurn = turns();
  const outstanding = new Set<Promise<void>>();
  for (let next = await frames.next(); next.done !== true && !stop.aborted; next = await frames.next()) {
    const { frame } = next.value;
    alive.heard();
    switch (frame.case) {
      case 'bind':
        await bind(deps, person, frame.value, hands);
        break;
      case 'unbind':
        for (const id of frame.value.attachmentIds) await leases.unbind(id);
        break;
      case 'submissions':
        for (const { tag, request } of frame.value.submissions) {
          const done = answer(
            tag,
            (async () => {
              if (request === undefined)
                throw new Problem(Reason.BAD_FIELD, 'request is missing', { subject: 'request' });
              return { case: 'sent', value: await deps.send(as(request.attachmentId), request, inTurn) } as const;
            })(),
          ).finally(() => outstanding.delete(done));
          outstanding.add(done);
        }
        while (outstanding.size > MOST_OUTSTANDING) await Promise.race(outstanding);
        break;
      case 'claim': {
        const { tag, request } = frame.value;
        void answer(
          tag,
          (async () => {
            if (request === undefined)
              throw new Problem(Reason.BAD_FIELD, 'request is missing', { subject: 'request' });
            return { case: 'claimed', value: await deps.claimOffer(as(request.attachmentId), request) } as const;
          })(),
        );
        break;
      }
      case 'acknowledge': {
        const { tag, request } = frame.value;
        void answer(
          tag,
          (async () => {
            if (request === undefined)
              throw new Problem(Reason.BAD_FIELD, 'request is missing', { subject: 'request' });
            return { case: 'acknowledged', value: await deps.acknowledge(as(request.attachmentId), request) } as const;
          })(),
        );
        break;
      }
      case 'evidence':
        for (const shown of frame.value.evidence)
          try {
            await deps.evidence(leases.child(shown.attachmentId), shown);
          } catch (error) {
            // Not answered by design: evidence for a lease that just ended is of no use to anyone.
            if (!(error instanceof Problem)) throw error;
          }
        break;
      case 'pong':
        break;
      case 'hello':
        throw new Problem(Reason.MALFORMED, 'hello comes once, first', { subject: 'frame' });
      default:
        throw new Problem(Reason.VERSION_MISMATCH, 'a frame this server does not know; update the server first', {
          subject: 'frame',
        });
    }
  }
  await Promise.all(outstanding);
}

async function bind(deps: LinkDeps, person: Holder, asked: Bind, { leases, outbox }: Hands): Promise<void> {
  const bound = await Promise.all(
    asked.leases.map((binding) =>
      checked(leases, person, binding).then(
        (after) => ({ attachmentId: binding.attachmentId, after }),
        (error: unknown) => ({
          attachmentId: binding.attachmentId,
          problem: deps.refusal(error, 'BridgeService/Link'),
        }),
      ),
    ),
  );
  outbox.put({ case: 'bound', value: { leases: bound } });
  for (const { attachmentId } of bound) leases.begin(attachmentId);
}

async function checked(leases: Leases, person: Holder, binding: LeaseBinding): Promise<string> {
  check(binding);
  return leases.bind(person, binding);
}

/** Decisions take their own time; what they lead to happens in the order asked. */
function turns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (ready) => {
    const turn = last.then(
      () => ready,
      () => ready,
    );
    last = turn.catch(() => {});
    return turn;
  };
}

/** Notices a link whose other end is gone without a word: a ping that nothing answers (BRG, 20 s). */
class Alive {
  readonly #deps: LinkDeps;
  readonly #outbox: Outbox;
  readonly #dead: (why: Problem) => void;
  #heard = 0;

  constructor(deps: LinkDeps, outbox: Outbox, dead: (why: Problem) => void) {
    this.#deps = deps;
    this.#outbox = outbox;
    this.#dead = dead;
  }

  heard(): void {
    this.#heard++;
  }

  async watch(stop: AbortSignal): Promise<void> {
    for (let nonce = 1n; ; nonce++) {
      await this.#deps.clock.wait(PING_SECONDS * 1000, stop);
      if (stop.aborted) return;
      const before = this.#heard;
      this.#outbox.put({ case: 'ping', value: { nonce } });
      await this.#deps.clock.wait(PONG_MS, stop);
      if (stop.aborted) return;
      if (this.#heard === before)
        this.#dead(new Problem(Reason.UNAVAILABLE, `no answer to a ping within ${PONG_MS / 1000} s; connect again`));
    }
  }
}
