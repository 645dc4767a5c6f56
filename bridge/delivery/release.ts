import { OfferOutcome } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { Item, Journal, SavedLease } from '../journal/journal.ts';
import type { BridgeLink } from '../link/bridge-link.ts';
import type { Log } from '../log.ts';
import type { Outcome } from '../routes/route.ts';
import { envelope, fitting } from './envelope.ts';
import { guidance, hint, isGuidanceDue, type Tools } from './guidance.ts';

export interface ReleaseDeps {
  readonly journal: Journal;
  readonly link: Pick<BridgeLink, 'connected' | 'claim' | 'evidence'>;
  readonly log: Log;
  readonly now: () => number;
  readonly tools: (provider: string) => Tools;
}

/** The way in by which something is offered now. */
export interface Way {
  readonly name: string;
  readonly wakes: boolean;
  readonly maxBytes: number;
  /** Hands the text over. Called once, and only for what the server released to this lease. */
  readonly emit: (text: string, messageIds: readonly string[]) => Promise<Outcome>;
}

/** `nothing`: the server released none of it. `away`: the server did not answer. In both cases nothing was emitted. */
export type Released = Outcome | 'nothing' | 'away';

/**
 * Offers the oldest of what waits, in the one order that loses nothing and repeats nothing: written down as offered, then
 * released by the server, then emitted (BRG-4, RCP-5).
 */
export class Release {
  readonly #deps: ReleaseDeps;
  /** Whose claim was not answered: the server may hold them as offered, although they never left. */
  readonly #unanswered = new Set<string>();
  /** What the server would not let start a turn. */
  readonly #mustNotWake = new Set<string>();

  constructor(deps: ReleaseDeps) {
    this.#deps = deps;
  }

  /** Whether its sender, and the server, let this message start a turn. */
  mayWake({ mayWake, messageId }: Item): boolean {
    return mayWake && !this.#mustNotWake.has(messageId);
  }

  async offer(lease: SavedLease, waiting: readonly Item[], way: Way, preface = ''): Promise<Released> {
    const { journal, link, log } = this.#deps;
    if (!link.connected) return 'away';
    const { attachmentId, guidanceTime, setupDone } = lease;
    const isWhole = isGuidanceDue(guidanceTime, this.#deps.now());
    const tools = this.#deps.tools(lease.provider);
    const words = isWhole ? guidance(tools) : hint(tools);
    const maxBytes = way.maxBytes - Buffer.byteLength(preface) - 2;
    const bodies = waiting.map(({ message }) => message);
    const chosen = waiting.slice(0, fitting(bodies, maxBytes, words));

    journal.offer(attachmentId, idsOf(chosen), way.name);
    const granted = await this.#claim(lease, chosen, way);
    if (granted === undefined) return 'away';
    if (granted.length === 0) return 'nothing';
    // Before anything is emitted, so that a crash in between repeats neither guidance nor setup (RTE-10, ATT-10).
    if (isWhole || preface !== '')
      journal.update(attachmentId, { setupDone: true, ...(isWhole ? { guidanceTime: this.#deps.now() } : {}) });
    const text = this.#text(lease, granted, words, maxBytes);
    const outcome = await way.emit(preface === '' ? text : `${preface}\n\n${text}`, idsOf(granted));
    if (typeof outcome === 'object') {
      journal.update(attachmentId, { guidanceTime, setupDone });
      journal.takeBack(attachmentId, idsOf(granted));
      this.#takeBack(attachmentId, idsOf(granted), way.name, outcome.failed);
    } else journal.emitted(attachmentId, idsOf(granted));
    const event = typeof outcome === 'object' ? 'failed' : outcome;
    log(`offer.${event}`, { attachmentId, route: way.name, messageIds: idsOf(granted) });
    return outcome;
  }

  #text({ agentName, attachmentId }: SavedLease, granted: readonly Item[], words: string, maxBytes: number): string {
    const { count, newest } = this.#deps.journal.waiting(attachmentId);
    const messages = granted.map(({ message }) => message);
    const since = newest === undefined ? undefined : new Date(newest);
    return envelope({ agentName, attachmentId, messages, remaining: count, newest: since, guidance: words }, maxBytes);
  }

  /** What the server releases of these; undefined when it did not answer. */
  async #claim(lease: SavedLease, chosen: readonly Item[], way: Way): Promise<Item[] | undefined> {
    const { journal, link, log } = this.#deps;
    const { attachmentId } = lease;
    const asked = idsOf(chosen);
    const unsure = asked.filter((id) => this.#unanswered.delete(id));
    if (unsure.length > 0) this.#takeBack(attachmentId, unsure, way.name, 'the claim was not answered');
    let outcomes: ReadonlyMap<string, OfferOutcome>;
    try {
      const offers = await link.claim(attachmentId, asked, way.name, way.wakes);
      outcomes = new Map(offers.map(({ messageId, outcome }) => [messageId, outcome]));
    } catch (error) {
      // Nothing was emitted, so nothing is ambiguous: they wait again.
      for (const id of asked) this.#unanswered.add(id);
      journal.takeBack(attachmentId, asked);
      log('offer.unclaimed', { attachmentId, route: way.name, why: String(error) });
      return undefined;
    }
    const ids = (...wanted: OfferOutcome[]): string[] =>
      asked.filter((id) => wanted.includes(outcomes.get(id) ?? OfferOutcome.UNSPECIFIED));
    const waitsOn = ids(OfferOutcome.NO_WAKE, OfferOutcome.UNSPECIFIED);
    for (const id of waitsOn) this.#mustNotWake.add(id);
    some(waitsOn, (found) => {
      journal.takeBack(attachmentId, found);
      log('offer.no-wake', { attachmentId, route: way.name, messageIds: found });
    });
    some(ids(OfferOutcome.ALREADY_OFFERED), (found) => journal.emitted(attachmentId, found));
    some(ids(OfferOutcome.ACKNOWLEDGED), (found) => journal.acknowledge(attachmentId, found, 'admitted'));
    some(ids(OfferOutcome.NOT_FOUND), (found) => journal.drop(attachmentId, found));
    const granted = new Set(ids(OfferOutcome.GRANTED));
    return chosen.filter(({ messageId }) => granted.has(messageId));
  }

  #takeBack(attachmentId: string, messageIds: string[], route: string, detail: string): void {
    this.#deps.link.evidence(attachmentId, { kind: EvidenceKind.NOT_DELIVERED, messageIds, route, detail });
  }
}

/** Each of these is a flush to disk, and mostly there is nothing to write down. */
function some(found: string[], write: (found: string[]) => void): void {
  if (found.length > 0) write(found);
}

const idsOf = (items: readonly Item[]): string[] => items.map(({ messageId }) => messageId);
