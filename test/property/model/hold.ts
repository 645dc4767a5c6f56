import type fc from 'fast-check';
import { expect } from 'vitest';
import { Acknowledgement, OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Refused } from '../../doors/door.ts';
import { rpc } from '../../doors/rpc.ts';
import { attached, type Attached } from '../../world/attached.ts';
import type { Model, Real, Stored } from './model.ts';

type Command = fc.AsyncCommand<Model, Real>;

/** A name is bound to a session: the same again keeps its lease, another takes it over. */
export class Attach implements Command {
  readonly name: string;
  readonly session: string;
  readonly node: number;

  constructor(name: string, session: string, node: number) {
    this.name = name;
    this.session = session;
    this.node = node;
  }

  check = (model: Readonly<Model>): boolean => model.agent(this.name).isRegistered;

  async run(model: Model, real: Real): Promise<void> {
    const agent = model.agent(this.name);
    const person = { ...real.person, server: real.server(this.node) };
    const held = await attached(person, this.name, `${this.session} of ${this.name}`);
    if (agent.lease?.session === this.session) {
      expect(held.attachmentId).toBe(agent.lease.held.attachmentId);
      expect(held.child.secret).toBe('');
      return;
    }
    if (agent.lease !== undefined) {
      expect(held.attachmentId).not.toBe(agent.lease.held.attachmentId);
      real.stale.push({ name: this.name, held: agent.lease.held });
    }
    agent.lease = { held, session: this.session };
  }

  toString = () => `attach(${this.name} to ${this.session}, at ${this.node})`;
}

/** Which lease is used for which message: the live one, or one that has ended. */
abstract class UnderLease implements Command {
  readonly name: string;
  readonly pick: number;
  readonly isStale: boolean;
  readonly node: number;

  constructor(name: string, pick: number, isStale: boolean, node: number) {
    this.name = name;
    this.pick = pick;
    this.isStale = isStale;
    this.node = node;
  }

  check = (model: Readonly<Model>): boolean => {
    const { lease, mailbox } = model.agent(this.name);
    return lease !== undefined && mailbox.length > 0;
  };

  async run(model: Model, real: Real): Promise<void> {
    const { lease, mailbox } = model.agent(this.name);
    const stale = real.stale.find(({ name }) => name === this.name)?.held;
    const held = this.isStale && stale !== undefined ? stale : lease!.held;
    const stored = mailbox[this.pick % mailbox.length]!;
    const hands = rpc.as({ ...held.child, server: real.server(this.node) });
    const act = this.act(hands, held, stored);
    if (held === lease!.held) return act;
    const outcome = await act.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Refused ? error.refusal.reason : error),
    );
    expect(['SIGNED_OUT', 'LEASE_ENDED']).toContain(outcome);
  }

  protected abstract act(hands: ReturnType<typeof rpc.as>, held: Attached, stored: Stored): Promise<void>;
}

export class Claim extends UnderLease {
  protected async act(hands: ReturnType<typeof rpc.as>, { attachmentId }: Attached, stored: Stored): Promise<void> {
    const { messageId } = stored;
    const { offers } = await hands.attachments.claimOffer({ attachmentId, messageIds: [messageId], route: 'test' });
    const { GRANTED, ALREADY_OFFERED, ACKNOWLEDGED } = OfferOutcome;
    const outcome = stored.state > 1 ? ACKNOWLEDGED : stored.isOffered ? ALREADY_OFFERED : GRANTED;
    expect(offers).toMatchObject([{ messageId, outcome }]);
    if (outcome === GRANTED) stored.isOffered = true;
  }

  toString = () => `claim(${this.name} #${this.pick}${this.isStale ? ', ended lease' : ''}, at ${this.node})`;
}

export class Acknowledge extends UnderLease {
  readonly acknowledgement: Acknowledgement;

  constructor(name: string, pick: number, isStale: boolean, node: number, isProcessed: boolean) {
    super(name, pick, isStale, node);
    this.acknowledgement = isProcessed ? Acknowledgement.PROCESSED : Acknowledgement.ADMITTED;
  }

  protected async act(hands: ReturnType<typeof rpc.as>, { attachmentId }: Attached, stored: Stored): Promise<void> {
    const { acknowledgement } = this;
    const messageIds = [stored.messageId];
    const answer = await hands.attachments.acknowledge({ attachmentId, messageIds, acknowledgement });
    expect(answer).toMatchObject({ acknowledgedIds: messageIds, unknownIds: [] });
    stored.state = Math.max(stored.state, acknowledgement === Acknowledgement.PROCESSED ? 3 : 2);
  }

  toString = () =>
    `acknowledge(${this.name} #${this.pick} ${this.acknowledgement}${this.isStale ? ', ended lease' : ''}, at ${this.node})`;
}
