import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  Acknowledgement,
  type AcknowledgeRequest,
  type AttachmentSchema,
  AttachmentService,
  AttachOrigin,
  type ClaimOfferRequest,
  OfferOutcome,
} from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { EvidenceKind, type HostEvidence } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import type { Caller, Known } from '../../access/callers.ts';
import { known } from '../../access/known.ts';
import { readTime } from '../../core/database.ts';
import { check } from '../../core/request-fields.ts';
import { presenceOf } from '../reach.ts';
import { acknowledge } from './acknowledge.ts';
import { attach, type AttachDeps } from './attach.ts';
import { type ClaimDeps, claimOffer } from './claim-offer.ts';
import { confirm } from './confirm.ts';
import { detach } from './detach.ts';
import { type EvidenceDeps, recordEvidence, type Shown } from './evidence.ts';
import { list } from './list.ts';
import type { LeaseRow, Origin } from './store/leases.ts';
import type { Outcome } from './store/offers.ts';

export type AttachmentDeps = AttachDeps & ClaimDeps & EvidenceDeps;

/**
 * What a link's frames and the unary calls share: one verb each, in the words of the proto. The form is checked here too,
 * since a frame carries many and one that is wrong is refused alone.
 */
export const attachmentVerbs = (deps: AttachmentDeps) => ({
  async claimOffer(caller: Known, request: ClaimOfferRequest) {
    check(request);
    const offers = await claimOffer(deps, caller, request);
    return { offers: offers.map(({ messageId, outcome }) => ({ messageId, outcome: outcomes[outcome] })) };
  },
  async acknowledge(caller: Known, request: AcknowledgeRequest) {
    check(request);
    return acknowledge(deps, caller, { ...request, acknowledgement: acknowledgements[request.acknowledgement]! });
  },
  async evidence(caller: Extract<Caller, { kind: 'child' }>, shown: HostEvidence): Promise<void> {
    const kind = kinds[shown.kind];
    if (kind !== undefined) await recordEvidence(deps, caller, { ...shown, kind });
  },
});

export const attachmentRoutes = (deps: AttachmentDeps) => (router: ConnectRouter) => {
  const verbs = attachmentVerbs(deps);
  return router.service(AttachmentService, {
    async attach(request, context) {
      const { process, origin, purpose, ...session } = request;
      const { lease, ...rest } = await attach(deps, known(context), {
        ...session,
        purpose,
        pid: process?.pid ?? 0n,
        processStart: process?.startTime ?? '',
        bootId: process?.bootId ?? '',
        origin: origins[origin]!,
      });
      const { childSecret, startCursor, registered } = rest;
      return { attachment: shown(lease), childSecret, startCursor, epoch: deps.epoch, registered };
    },
    async detach(request, context) {
      await detach(deps, known(context), request);
      return {};
    },
    async listAttachments(request, context) {
      const { leases, nextCursor } = await list(deps, known(context), request);
      return { attachments: leases.map(shown), nextCursor };
    },
    async confirm(request, context) {
      return { attachment: shown(await confirm(deps, known(context), request)) };
    },
    claimOffer: (request, context) => verbs.claimOffer(known(context), request),
    acknowledge: (request, context) => verbs.acknowledge(known(context), request),
  });
};

const shown = (row: LeaseRow): MessageInitShape<typeof AttachmentSchema> => ({
  attachmentId: row.id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  provider: row.provider,
  sessionId: row.session_id,
  process: { pid: BigInt(row.pid), startTime: row.process_start, bootId: row.boot_id },
  origin: originOf[row.origin],
  folder: row.folder,
  computer: row.computer,
  childConnectionId: row.child_id,
  connectionId: row.connection_id,
  presence: presenceOf(row),
  route: row.route,
  routeDetail: row.route_detail,
  needsConfirmation: row.needs_confirmation,
  createTime: timestampFromDate(readTime(row.create_time)),
  ...(row.person_turn_time === null ? {} : { personTurnTime: timestampFromDate(readTime(row.person_turn_time)) }),
});

const originOf: Record<Origin, AttachOrigin> = {
  chat: AttachOrigin.CHAT,
  terminal: AttachOrigin.TERMINAL,
  own: AttachOrigin.OWN,
};

/** The field rules let no other value through. */
const origins: Record<number, Origin | undefined> = {
  [AttachOrigin.CHAT]: 'chat',
  [AttachOrigin.TERMINAL]: 'terminal',
  [AttachOrigin.OWN]: 'own',
};

/** As above. */
const acknowledgements: Record<number, 'admitted' | 'processed' | undefined> = {
  [Acknowledgement.ADMITTED]: 'admitted',
  [Acknowledgement.PROCESSED]: 'processed',
};

const outcomes: Record<Outcome, OfferOutcome> = {
  granted: OfferOutcome.GRANTED,
  already_offered: OfferOutcome.ALREADY_OFFERED,
  acknowledged: OfferOutcome.ACKNOWLEDGED,
  not_found: OfferOutcome.NOT_FOUND,
  no_wake: OfferOutcome.NO_WAKE,
};

/** What a newer bridge shows and this server does not know is ignored. */
const kinds: Record<number, Shown['kind'] | undefined> = {
  [EvidenceKind.PERSON_TURN]: 'person-turn',
  [EvidenceKind.ENTERED_TURN]: 'entered-turn',
  [EvidenceKind.ADMITTED_BY_HOST]: 'admitted-by-host',
  [EvidenceKind.TYPED]: 'typed',
  [EvidenceKind.HELD_BY_HOST]: 'held',
  [EvidenceKind.HOOK_NOT_TRUSTED]: 'hook-not-trusted',
  [EvidenceKind.CHANNEL_IGNORED]: 'channel-ignored',
  [EvidenceKind.NOT_DELIVERED]: 'not-delivered',
  [EvidenceKind.ROUTE_CHANGED]: 'route-changed',
};
