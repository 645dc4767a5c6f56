/** Something that keeps messages: the product, or a floor beside it. */
export interface System {
  readonly name: string;
  /** What has happened when a send is answered. */
  readonly durability: string;
  /** Makes what must be there before the clock starts, and starts it: resolves at the first answer. */
  start(folder: string): Promise<Started>;
}

export interface Started {
  /** The processes whose CPU time is the system's, the database's among them. */
  readonly pids: readonly number[];
  /** Ways to send; the first is the one for push latency. */
  readonly senders: Readonly<Record<string, (inFlight: number) => Promise<Sender>>>;
  /** An open stream of one recipient. Resolves once it is open. */
  receiver(name: string, onBody: (body: string) => void): Promise<{ close(): void }>;
  stop(): Promise<void>;
}

export interface Sender {
  /** Resolves when the system has said that the message is kept. */
  send(recipient: string, body: string): Promise<unknown>;
  close(): unknown;
}

/** Recipients that exist before anything is sent. */
export const recipients = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'] as const;

/** Open loop: sends a second. Each rate has a recipient of its own, whose stream begins with nothing to catch up on. */
export const rates = [100, 500] as const;
export const watched = (perSecond: number): string => `watched-${perSecond}`;
