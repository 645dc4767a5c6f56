import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import type { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import type { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { type Reason, ReasonSchema } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Person } from '../world/people.ts';
import type { DoorName } from './names.ts';
import type { Watching } from './watching.ts';

/** One way in. An adapter maps names and nothing else: a door that needs cleverness shows a fault of the product. */
export interface Door {
  readonly name: DoorName;
  as(person: Person): Hands;
}

/** What a caller can do, in the contract's own words: every RPC, typed by its description. */
export interface Hands {
  readonly messages: Verbs<typeof MessageService>;
  readonly agents: Verbs<typeof AgentService>;
  readonly attachments: Verbs<typeof AttachmentService>;
  readonly access: Verbs<typeof AccessService>;
}

export type Verbs<S extends DescService> = { readonly [M in keyof S['method']]: Verb<S['method'][M]> };

type Verb<M extends DescMethod> = (
  input: MessageInitShape<M['input']>,
) => M extends { methodKind: 'unary' } ? Promise<MessageShape<M['output']>> : Watching<MessageShape<M['output']>>;

export type ReasonName = keyof typeof Reason;

export const reasonName = (reason: Reason): ReasonName => ReasonSchema.value[reason]!.localName as ReasonName;

/** A failure that the caller can act on, the same whichever door it came through. */
export interface Refusal {
  readonly reason: ReasonName;
  readonly subject: string;
  readonly bound: number;
  readonly sentence: string;
  readonly suggestions: readonly string[];
}

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor({ reason, subject, bound, sentence, suggestions }: Refusal) {
    super(`${reason} ${subject}: ${sentence}`);
    this.name = 'Refused';
    this.refusal = { reason, subject, bound, sentence, suggestions };
  }
}

/** Passes when the attempt is refused for this reason; anything else that is thrown stays what it is. */
export async function refuses(reason: Reason, attempt: Promise<unknown>): Promise<Refusal> {
  const outcome = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined) throw new Error(`was accepted; ${reasonName(reason)} was expected`);
  if (!(outcome instanceof Refused)) throw outcome as Error;
  // The whole refusal is compared, so that a failing test shows what was refused instead.
  expect(outcome.refusal).toMatchObject({ reason: reasonName(reason), sentence: expect.stringMatching(/\w+ \w+/) });
  return outcome.refusal;
}
