import type { DescMethod } from '@bufbuild/protobuf';
import type { Interceptor, StreamRequest, StreamResponse, UnaryRequest } from '@connectrpc/connect';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { type Caller, callerKey } from '../access/callers.ts';
import { rightKey, signedOut } from '../access/known.ts';
import { bearer, type Callers, type Entry } from '../access/resolve-caller.ts';
import type { Refusals } from '../access/refusals.ts';
import { isScope, type Scope } from '../access/scopes.ts';
import { allowedFor, cellFor, isOpen } from '../access/table.ts';
import type { Hold } from '../core/endings.ts';
import { Problem } from '../core/problem.ts';
import { entranceKey } from './entrance.ts';

export interface CallerDeps {
  readonly callers: Pick<Callers, 'enter'>;
  /** Whether this node would be told if a right ended. */
  readonly isCurrent: () => boolean;
  /** What was refused for want of a right is written down. */
  readonly refusals: Pick<Refusals, 'note'>;
}

/** A caller that ends its own right is told that it did: the answer says only what ended. */
const endsItsCaller = new Set<DescMethod>([AccessService.method.revokeConnection, AttachmentService.method.detach]);

/**
 * Settles who is calling, asks the table, and holds the caller's right from before it is judged until everything has
 * left: what ends meanwhile ends this call, and nothing is released after (ACC-2, RCP-5).
 */
export const callerInterceptor = (deps: CallerDeps): Interceptor => {
  const held = new Held(deps.isCurrent);
  return (next) => async (request) => {
    if (isOpen(request.method)) return next(request);
    const entry = await entryOf(deps.callers, request);
    if (entry === undefined) {
      check(request.method, { kind: 'nobody' });
      return next(request);
    }
    const { caller, right } = entry;
    const note = (error: unknown) => deps.refusals.note(caller, request.method.name, error);
    let isStream = false;
    try {
      check(request.method, caller);
      held.check(right);
      request.contextValues.set(callerKey, caller);
      request.contextValues.set(rightKey, right);
      const response = await next(request.stream ? held.up(request, right) : request);
      if (response.stream) {
        isStream = true;
        return held.down(response, right, request.signal, note);
      }
      if (!endsItsCaller.has(request.method)) held.check(right);
      return response;
    } catch (error) {
      note(error);
      held.check(right);
      throw error;
    } finally {
      if (!isStream) right[Symbol.dispose]();
    }
  };
};

/** Who came in at the listener has been asked already. */
async function entryOf(
  callers: CallerDeps['callers'],
  { header, contextValues }: UnaryRequest | StreamRequest,
): Promise<Entry | undefined> {
  const entrance = contextValues.get(entranceKey);
  if (entrance !== undefined) return entrance.take();
  const secret = bearer(header.get('authorization'));
  return secret === undefined ? undefined : callers.enter(secret);
}

/** What passes while a right is held. */
class Held {
  readonly #isCurrent: () => boolean;

  constructor(isCurrent: () => boolean) {
    this.#isCurrent = isCurrent;
  }

  /** The lease is asked too, since a process that was stopped and goes on may not have noticed yet that it lapsed. */
  check(right: Hold): void {
    if (!this.#isCurrent()) right.end('out-of-touch', '');
    right.check();
  }

  up(request: StreamRequest, right: Hold): StreamRequest {
    return { ...request, message: this.#each(request.message, right) };
  }

  down(response: StreamResponse, right: Hold, left: AbortSignal, note: (error: unknown) => void): StreamResponse {
    // Also for a stream that nobody begins to read. Once it is let go, nothing more may pass.
    const letGo = () => right[Symbol.dispose]();
    if (left.aborted) letGo();
    else left.addEventListener('abort', letGo, { once: true });
    return { ...response, message: this.#each(response.message, right, left, note) };
  }

  async *#each<T>(
    messages: AsyncIterable<T>,
    right: Hold,
    left?: AbortSignal,
    note?: (error: unknown) => void,
  ): AsyncGenerator<T> {
    try {
      for await (const message of messages) {
        this.check(right);
        if (left?.aborted === true) return;
        yield message;
      }
    } catch (error) {
      note?.(error);
      this.check(right);
      throw error;
    }
    this.check(right);
  }
}

const called: Record<Caller['kind'], string> = {
  nobody: 'nobody',
  person: 'a signed-in person',
  connection: 'a service connection',
  child: "an attached agent's connection",
};

function check(method: DescMethod, caller: Caller): void {
  const { kind } = caller;
  const cell = cellFor(method, kind);
  if (caller.kind === 'connection' && isScope(cell)) checkScope(method, caller, cell);
  if (cell !== 'no') return;
  if (kind === 'nobody') throw signedOut();
  const others = allowedFor(method).map((other) => called[other]);
  const who = others.length === 0 ? 'nobody may' : `${others.join(' or ')} may`;
  throw new Problem(Reason.NOT_ALLOWED, `${called[kind]} may not call ${method.name}; ${who}`, {
    subject: method.name,
  });
}

function checkScope(method: DescMethod, caller: Caller & { kind: 'connection' }, scope: Scope): void {
  if (caller.scopes === null || caller.scopes.includes(scope)) return;
  throw new Problem(
    Reason.SCOPE_MISSING,
    `${method.name} takes the scope ${scope}, which connection ${caller.connectionId} has not; let its person grant it anew, or make one with \`agentworks connections create --scope ${scope}\``,
    { subject: scope },
  );
}
