import type { Bind, HostEvidence, LeaseBinding, LinkRequest, Submission } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Known } from '../access/callers.ts';
import { Problem } from '../core/problem.ts';
import { check } from '../core/request-fields.ts';
import type { InTurn } from '../messages/send.ts';
import type { Holder, LinkDeps } from './deps.ts';
import type { Leases } from './leases.ts';
import type { Outbox } from './outbox.ts';

/** Acts whose answers are outstanding; beyond them we read no further frame, and TCP slows the sender down. */
const MOST_OUTSTANDING = 2_000;
const RPC = 'BridgeService/Link';

type Outcome = Parameters<Outbox['answer']>[1];
interface Asked<R> {
  readonly tag: bigint;
  readonly request?: R | undefined;
}
type Act<R> = (as: Known, request: R) => Promise<Outcome>;

/** Does what the frames of one link ask. Each act answers for itself; one refusal harms no other. */
export class FrameHandler {
  readonly #deps: LinkDeps;
  readonly #holder: Holder;
  readonly #leases: Leases;
  readonly #outbox: Outbox;
  readonly #inTurn = turns();
  readonly #outstanding = new Set<Promise<void>>();

  constructor(deps: LinkDeps, holder: Holder, leases: Leases, outbox: Outbox) {
    this.#deps = deps;
    this.#holder = holder;
    this.#leases = leases;
    this.#outbox = outbox;
  }

  async handle(frame: LinkRequest['frame']): Promise<void> {
    switch (frame.case) {
      case 'bind':
        return this.#bind(frame.value);
      case 'unbind':
        for (const id of frame.value.attachmentIds) await this.#leases.unbind(id);
        return;
      case 'submissions':
        for (const submission of frame.value.submissions) this.#submit(submission);
        while (this.#outstanding.size > MOST_OUTSTANDING) await Promise.race(this.#outstanding);
        return;
      case 'claim':
        return this.#start(frame.value, async (as, request) => {
          return { case: 'claimed', value: await this.#deps.claimOffer(as, request) };
        });
      case 'acknowledge':
        return this.#start(frame.value, async (as, request) => {
          return { case: 'acknowledged', value: await this.#deps.acknowledge(as, request) };
        });
      case 'evidence':
        for (const shown of frame.value.evidence) await this.#record(shown);
        return;
      case 'pong':
        return;
      case 'hello':
        throw new Problem(Reason.MALFORMED, 'hello comes once, first', { subject: 'frame' });
      default:
        throw new Problem(Reason.VERSION_MISMATCH, 'a frame this server does not know; update the server first', {
          subject: 'frame',
        });
    }
  }

  /** What was asked is answered, also when nothing more is asked. */
  async finish(): Promise<void> {
    await Promise.all(this.#outstanding);
  }

  #submit(submission: Submission): void {
    this.#start(submission, async (as, request) => {
      return { case: 'sent', value: await this.#deps.send(as, request, this.#inTurn) };
    });
  }

  #start<R extends { readonly attachmentId: string }>(asked: Asked<R>, act: Act<R>): void {
    const done = this.#answer(asked, act).finally(() => this.#outstanding.delete(done));
    this.#outstanding.add(done);
  }

  /** As the lease that the request names, else as whoever opened the link. */
  async #answer<R extends { readonly attachmentId: string }>(asked: Asked<R>, act: Act<R>): Promise<void> {
    try {
      const { request } = asked;
      if (request === undefined) throw new Problem(Reason.BAD_FIELD, 'request is missing', { subject: 'request' });
      const as = request.attachmentId === '' ? this.#holder : this.#leases.child(request.attachmentId);
      this.#outbox.answer(asked.tag, await act(as, request));
    } catch (error) {
      this.#outbox.answer(asked.tag, { case: 'problem', value: this.#deps.refusal(error, RPC) });
    }
  }

  async #bind(asked: Bind): Promise<void> {
    const bound = await Promise.all(asked.leases.map((binding) => this.#bindOne(binding)));
    this.#outbox.put({ case: 'bound', value: { leases: bound } });
    for (const { attachmentId } of bound) this.#leases.begin(attachmentId);
  }

  async #bindOne(binding: LeaseBinding) {
    const { attachmentId } = binding;
    try {
      check(binding);
      return { attachmentId, after: await this.#leases.bind(this.#holder, binding) };
    } catch (error) {
      return { attachmentId, problem: this.#deps.refusal(error, RPC) };
    }
  }

  async #record(shown: HostEvidence): Promise<void> {
    try {
      await this.#deps.evidence(this.#leases.child(shown.attachmentId), shown);
    } catch (error) {
      // Not answered by design: evidence for a lease that just ended is of no use to anyone.
      if (!(error instanceof Problem)) throw error;
    }
  }
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
