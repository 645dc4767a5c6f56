import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import {
  BridgeService,
  type EvidenceKind,
  type LinkRequestSchema,
  type LinkResponse,
} from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { openTransport } from '../../bridge/client/transport.ts';
import type { Attached } from './attached.ts';
import type { Person } from './people.ts';

type Up = NonNullable<MessageInitShape<typeof LinkRequestSchema>['frame']>;
type Frame = LinkResponse['frame'];
type Value<K extends Frame['case']> = Extract<Frame, { case: K }>['value'];

/** A computer's bridge as far as the server sees one: a link, and the leases bound on it. */
export class LinkedBridge implements AsyncDisposable {
  readonly #up = new Outgoing();
  readonly #down: AsyncIterator<LinkResponse>;
  readonly #close: () => void;

  private constructor(person: Person) {
    const opened = openTransport({ address: person.server, secret: person.secret, plaintext: true });
    const finished = person.opens('a link');
    this.#close = () => {
      this.#up.end();
      opened.close();
      finished();
    };
    this.#down = createClient(BridgeService, opened.transport).link(this.#up)[Symbol.asyncIterator]();
  }

  static async open(person: Person): Promise<LinkedBridge> {
    const bridge = new LinkedBridge(person);
    bridge.send({ case: 'hello', value: { version: '0.1.0', bootId: 'boot', computer: 'desk' } });
    await bridge.until('welcome');
    return bridge;
  }

  send(frame: Up): void {
    this.#up.write({ frame });
  }

  /** Reads on to the next frame of this kind; answers pings on the way. */
  async until<K extends NonNullable<Frame['case']>>(kind: K): Promise<Value<K>> {
    for (;;) {
      const next = await this.#down.next();
      if (next.done === true) throw new Error(`the link ended before ${kind}`);
      const { frame } = next.value;
      if (frame.case === 'ping') this.send({ case: 'pong', value: { nonce: frame.value.nonce } });
      if (frame.case === kind) return frame.value as Value<K>;
    }
  }

  /** Takes a lease up; with `wakes` its agent is live, without it is reached at turn boundaries. */
  async bind({ attachmentId, child }: Attached, route = 'claude-socket', wakes = true): Promise<void> {
    const lease = { attachmentId, childSecret: child.secret ?? '', route, wakes };
    this.send({ case: 'bind', value: { leases: [lease] } });
    const [bound] = (await this.until('bound')).leases;
    if (bound?.problem !== undefined) throw new Error(bound.problem.sentence);
  }

  show(kind: EvidenceKind, { attachmentId }: Attached, messageIds: string[] = [], detail = ''): void {
    const evidence = [{ attachmentId, kind, messageIds, route: 'claude-socket', detail }];
    this.send({ case: 'evidence', value: { evidence } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await this.#down.return?.().catch(() => {});
  }
}

/** Frames on their way up, as they are written. */
class Outgoing implements AsyncIterable<MessageInitShape<typeof LinkRequestSchema>> {
  readonly #frames: MessageInitShape<typeof LinkRequestSchema>[] = [];
  #ended = false;
  #wake: () => void = () => {};

  write(frame: MessageInitShape<typeof LinkRequestSchema>): void {
    this.#frames.push(frame);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#frames.length > 0) yield this.#frames.shift()!;
      if (this.#ended) return;
      await new Promise<void>((done) => (this.#wake = done));
    }
  }
}
