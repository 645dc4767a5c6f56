/** One message as its sender means it. The body is unlike every other, so that a copy can be told from a second send. */
export interface Said {
  readonly sender: string;
  readonly submissionId: string;
  readonly body: string;
}

/** What a sender was answered for one recipient. */
export interface Copy {
  readonly to: string;
  readonly messageId: string;
}

/** What a sender knows of one submission. Until it is answered, nobody may say whether it was stored. */
interface Entry {
  readonly said: Said;
  copies: readonly Copy[] | undefined;
  isRefused: boolean;
  /** Whether a later answer named other ids than the first. */
  isSplit: boolean;
}

/** How far a message was acknowledged: what was answered, and what was asked for. */
interface Acknowledged {
  known: number;
  asked: number;
}

/** Everything that senders and receivers know, and nothing that the server says of itself. */
export class Ledger {
  readonly entries: Entry[] = [];
  readonly acknowledged = new Map<string, Acknowledged>();
  /** How often the server said of a message that it may be released now. */
  readonly grants = new Map<string, number>();
  readonly #byKey = new Map<string, Entry>();

  /** Before the first attempt. */
  says(said: Said): void {
    const entry = { said, copies: undefined, isRefused: false, isSplit: false };
    this.entries.push(entry);
    this.#byKey.set(key(said), entry);
  }

  answered(said: Said, copies: readonly Copy[]): void {
    const entry = this.#byKey.get(key(said))!;
    if (entry.copies === undefined) entry.copies = copies;
    else if (written(entry.copies) !== written(copies)) entry.isSplit = true;
  }

  /** For good: it must not be found anywhere. */
  refused(said: Said): void {
    this.#byKey.get(key(said))!.isRefused = true;
  }

  asks(messageId: string, state: number): void {
    const now = this.acknowledged.get(messageId) ?? { known: 1, asked: 1 };
    this.acknowledged.set(messageId, { ...now, asked: Math.max(now.asked, state) });
  }

  acknowledges(messageId: string, state: number): void {
    const now = this.acknowledged.get(messageId) ?? { known: 1, asked: state };
    this.acknowledged.set(messageId, { ...now, known: Math.max(now.known, state) });
  }

  granted(messageId: string): void {
    this.grants.set(messageId, (this.grants.get(messageId) ?? 0) + 1);
  }

  get acked(): number {
    return this.entries.filter(({ copies }) => copies !== undefined).length;
  }
}

const key = ({ sender, submissionId }: Said): string => `${sender} ${submissionId}`;

const written = (copies: readonly Copy[]): string =>
  copies
    .map(({ to, messageId }) => `${to}=${messageId}`)
    .toSorted()
    .join(' ');
