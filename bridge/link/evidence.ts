import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HostEvidenceSchema } from '#gen/agentworks/bridge/v1/bridge_pb.ts';

type Piece = MessageInitShape<typeof HostEvidenceSchema> & { readonly attachmentId: string };

/** The server takes so many a frame, and so many ids a piece. */
const MOST_IN_FRAME = 100;
const MOST_IDS = 100;
const MOST_DETAIL = 128;
/** Told late, the oldest is worth the least. */
const MOST_KEPT = 1_000;

/** What hosts showed and the server has not been told. */
export class Evidence {
  #kept: Piece[] = [];

  add(piece: Piece): void {
    const ids = piece.messageIds ?? [];
    const detail = Array.from(piece.detail ?? '')
      .slice(0, MOST_DETAIL)
      .join('');
    for (let from = 0; from === 0 || from < ids.length; from += MOST_IDS)
      this.#kept.push({ ...piece, detail, messageIds: ids.slice(from, from + MOST_IDS) });
    if (this.#kept.length > MOST_KEPT) this.#kept = this.#kept.slice(-MOST_KEPT);
  }

  /** What can be told of those that are bound, in frames. */
  take(isBound: (attachmentId: string) => boolean): Piece[][] {
    const ready = this.#kept.filter(({ attachmentId }) => isBound(attachmentId));
    if (ready.length === 0) return [];
    this.#kept = this.#kept.filter(({ attachmentId }) => !isBound(attachmentId));
    const frames = [];
    for (let from = 0; from < ready.length; from += MOST_IN_FRAME) frames.push(ready.slice(from, from + MOST_IN_FRAME));
    return frames;
  }

  forget(attachmentId: string): void {
    this.#kept = this.#kept.filter((piece) => piece.attachmentId !== attachmentId);
  }
}
