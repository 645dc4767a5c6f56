import { addressOf } from '../account/open.ts';
import type { SignIn } from '../account/config.ts';
import { type AgentWorks, connect } from '../client/index.ts';
import type { SavedLease } from '../journal/journal.ts';

/** One client a lease, with its own child's right and no more. Its connection ends with the lease. */
export class Children {
  readonly #signIn: SignIn;
  readonly #open = new Map<string, { readonly secret: string; readonly client: AgentWorks }>();

  constructor(signIn: SignIn) {
    this.#signIn = signIn;
  }

  of({ attachmentId, childSecret }: SavedLease): AgentWorks {
    const open = this.#open.get(attachmentId);
    if (open?.secret === childSecret) return open.client;
    this.forget(attachmentId);
    const address = addressOf(this.#signIn);
    const client = connect({ address, secret: childSecret, plaintext: this.#signIn.plaintext === true });
    this.#open.set(attachmentId, { secret: childSecret, client });
    return client;
  }

  forget(attachmentId: string): void {
    this.#open.get(attachmentId)?.client.close();
    this.#open.delete(attachmentId);
  }

  close(): void {
    for (const attachmentId of this.#open.keys()) this.forget(attachmentId);
  }
}
