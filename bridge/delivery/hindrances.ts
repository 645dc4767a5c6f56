/** `mode`: the chat's permission mode makes its host hold what is pushed. `held`: it held one. `failed`: a push failed. */
type Kind = 'mode' | 'held' | 'failed';

/** Why a session is told at the end of its turns, although a better way in stands open. */
export class Hindrances {
  readonly #kept = new Map<string, Map<Kind, string>>();

  /** Answers whether that is new; '' ends it. */
  set(attachmentId: string, kind: Kind, why: string): boolean {
    const kept = this.#kept.get(attachmentId) ?? new Map<Kind, string>();
    if ((kept.get(kind) ?? '') === why) return false;
    if (why === '') kept.delete(kind);
    else kept.set(kind, why);
    this.#kept.set(attachmentId, kept);
    return true;
  }

  /** '' when nothing is in the way. */
  of(attachmentId: string): string {
    const [why = ''] = this.#kept.get(attachmentId)?.values() ?? [];
    return why;
  }

  forget(attachmentId: string): void {
    this.#kept.delete(attachmentId);
  }
}
