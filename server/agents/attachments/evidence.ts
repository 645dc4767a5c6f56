import { ReceiptEventKind } from '#gen/agentworks/messages/v1/messages_pb.ts';
import type { Caller } from '../../access/callers.ts';
import type { Database } from '../../core/database.ts';
import { limits } from '../../core/limits.ts';
import type { Notifier } from '../../core/notifier.ts';
import type { Directory } from '../directory.ts';
import { changeRoute, markPersonTurn } from './store/leases.ts';
import { type Holder, move, note, takeBack } from './store/receipts.ts';

/** What a host showed its bridge, about a session and the messages offered to it. */
export interface Shown {
  readonly attachmentId: string;
  readonly kind:
    | 'person-turn'
    | 'entered-turn'
    | 'admitted-by-host'
    | 'typed'
    | 'held'
    | 'hook-not-trusted'
    | 'channel-ignored'
    | 'not-delivered'
    | 'route-changed';
  readonly messageIds: readonly string[];
  readonly route: string;
  /** A short reason; cut, since nobody can be asked for a shorter one. */
  readonly detail: string;
  readonly wakes: boolean;
}

export interface EvidenceDeps {
  readonly orm: Database;
  readonly notifier: Notifier;
  readonly agents: Directory;
}

/** Evidence goes on the timeline. Only a host that reports the exact thread makes a receipt of it (RCP-1). */
export async function recordEvidence(
  deps: EvidenceDeps,
  caller: Extract<Caller, { kind: 'child' }>,
  shown: Shown,
): Promise<void> {
  const em = deps.orm.em.fork();
  const by: Holder = { attachmentId: shown.attachmentId, childId: caller.connectionId };
  const route = cut(shown.route, limits.routeCharacters.max);
  const detail = cut(shown.detail, limits.detailCharacters.max);
  const about = { messageIds: shown.messageIds, route };
  switch (shown.kind) {
    case 'person-turn':
      await markPersonTurn(em, by);
      break;
    case 'entered-turn':
      await note(em, by, { ...about, detail, isOffered: true, kind: ReceiptEventKind.EVIDENCE, source: 'host' });
      break;
    case 'admitted-by-host': {
      const to = { state: 2, from: [1, 4], kind: ReceiptEventKind.ADMITTED } as const;
      await move(em, by, { ...about, ...to, detail, isOffered: true, source: 'host' });
      break;
    }
    case 'typed': {
      const to = { state: 4, from: [1], kind: ReceiptEventKind.TYPED } as const;
      await move(em, by, { ...about, ...to, detail, isOffered: true, source: 'bridge' });
      break;
    }
    case 'held':
    case 'hook-not-trusted':
    case 'channel-ignored': {
      // Which of them it is comes first, so that a reader of the timeline can branch on it.
      const why = cut(detail === '' ? shown.kind : `${shown.kind}: ${detail}`, limits.detailCharacters.max);
      await note(em, by, { ...about, detail: why, isOffered: false, kind: ReceiptEventKind.BLOCKED, source: 'bridge' });
      break;
    }
    case 'not-delivered': {
      const why = cut(detail === '' ? shown.kind : `${shown.kind}: ${detail}`, limits.detailCharacters.max);
      await takeBack(em, by, { ...about, detail: why, kind: ReceiptEventKind.BLOCKED });
      break;
    }
    case 'route-changed':
      if (await changeRoute(em, by, { route, detail, wakes: shown.wakes }))
        deps.notifier.announce([`account:${caller.accountId}`]);
      break;
  }
  deps.agents.seen(caller.agentId);
}

const cut = (text: string, most: number): string => Array.from(text.replaceAll('\0', '')).slice(0, most).join('');
