import type fc from 'fast-check';
import { expect } from 'vitest';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { refuses } from '../../doors/door.ts';
import { type Model, type Real, speaking } from './model.ts';

type Command = fc.AsyncCommand<Model, Real>;

abstract class About implements Command {
  readonly name: string;
  readonly node: number;

  constructor(name: string, node: number) {
    this.name = name;
    this.node = node;
  }

  abstract check(model: Readonly<Model>): boolean;
  abstract run(model: Model, real: Real): Promise<void>;
  toString = () => `${this.constructor.name.toLowerCase()}(${this.name}, at ${this.node})`;
}

export class Revoke extends About {
  check(model: Readonly<Model>): boolean {
    return model.agent(this.name).isSignedIn;
  }

  async run(model: Model, real: Real): Promise<void> {
    const agent = model.agent(this.name);
    const { connectionId } = real.programs.get(this.name)!;
    await real.at(real.person, this.node).access.revokeConnection({ connectionId });
    agent.isSignedIn = false;
    await refuses(Reason.SIGNED_OUT, speaking(real, agent, 1 - this.node).messages.read({}));
  }
}

/** A new connection, which the person allows to use the name. */
export class SignIn extends About {
  check(model: Readonly<Model>): boolean {
    return !model.agent(this.name).isSignedIn;
  }

  async run(model: Model, real: Real): Promise<void> {
    const agent = model.agent(this.name);
    const program = await real.account.program(this.name);
    real.programs.set(this.name, program);
    agent.isSignedIn = true;
    if (!agent.isRegistered) return;
    const allowedConnectionIds = { values: [program.connectionId] };
    await real.at(real.person, this.node).agents.register({ agentName: this.name, allowedConnectionIds });
  }
}

export class Unregister extends About {
  check(model: Readonly<Model>): boolean {
    return model.agent(this.name).isRegistered;
  }

  async run(model: Model, real: Real): Promise<void> {
    const agent = model.agent(this.name);
    await real.at(real.person, this.node).agents.unregister({ agentName: this.name });
    agent.isRegistered = false;
    agent.mailbox = [];
    if (agent.lease !== undefined) real.stale.push({ name: this.name, held: agent.lease.held });
    agent.lease = undefined;
  }
}

/** The same name again is another agent, with an empty mailbox. */
export class Register extends About {
  check(model: Readonly<Model>): boolean {
    const { isRegistered, isSignedIn } = model.agent(this.name);
    return !isRegistered && isSignedIn;
  }

  async run(model: Model, real: Real): Promise<void> {
    const agent = model.agent(this.name);
    const hands = speaking(real, agent, this.node);
    await hands.agents.register({ agentName: this.name });
    agent.isRegistered = true;
    agent.life++;
    expect((await hands.messages.read({})).messages).toEqual([]);
  }
}
