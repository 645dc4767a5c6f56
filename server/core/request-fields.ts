import type { DescMessage, Message, MessageShape } from '@bufbuild/protobuf';
import * as access from '#gen/agentworks/access/v1/access_pb.ts';
import * as agents from '#gen/agentworks/agents/v1/agents_pb.ts';
import * as attachments from '#gen/agentworks/agents/v1/attachments_pb.ts';
import * as bridge from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import * as common from '#gen/agentworks/common/v1/list_pb.ts';
import * as messages from '#gen/agentworks/messages/v1/messages_pb.ts';
import {
  absentOr,
  body,
  bytes,
  each,
  free,
  metadata,
  oneOf,
  optionalId,
  optionalLine,
  requiredId,
  requiredLine,
  type Rule,
  specified,
  submissionId,
  text,
  upTo,
} from './field-rules.ts';
import { limits } from './limits.ts';

type Fields<D extends DescMessage> = Exclude<keyof MessageShape<D>, '$typeName' | '$unknown'>;
type FieldRules<D extends DescMessage> = { readonly [F in Fields<D>]: Rule<MessageShape<D>[F]> };

interface Named {
  readonly name: string;
  readonly rule: Rule<unknown>;
}

const table = new Map<string, Readonly<Record<string, Named>>>();

/** A field without a rule does not compile. */
function request<D extends DescMessage>(desc: D, rules: FieldRules<D>): void {
  const named = Object.entries(rules).map(([field, rule]) => {
    const name = [...desc.fields, ...desc.oneofs].find(({ localName }) => localName === field)?.name ?? field;
    return [field, { name, rule: rule as Rule<unknown> }] as const;
  });
  table.set(desc.typeName, Object.fromEntries(named));
}

/** Refuses a message whose form is wrong: the first field that is, by its path in the proto's names. */
export function check(message: Message, path = ''): void {
  const rules = table.get(message.$typeName);
  if (rules === undefined) return;
  for (const [field, { name, rule }] of Object.entries(rules))
    rule((message as unknown as Record<string, unknown>)[field], path === '' ? name : `${path}.${name}`);
}

/** What messages have a rule for each field. */
export const isRuled = (typeName: string): boolean => table.has(typeName);

const inner: Rule<Message | undefined> = (value, path) => {
  if (value !== undefined) check(value, path);
};
/** Refused alone, by whoever answers it with its tag: one bad entry must not end the link that carries the others. */
const byItsAnswerer = free;

const name = optionalLine(limits.agentNameCharacters);
const requiredName = requiredLine(limits.agentNameCharacters);
const route = optionalLine(limits.routeCharacters);
const detail = optionalLine(limits.detailCharacters);
const pageSize = upTo(limits.pageSize);
const messageIds = each(limits.idsPerRequest, requiredId);
/** Its reader refuses what is not one of its own. */
const cursor = free;
/** Only ever hashed and compared. */
const secret = free;

request(access.LoginRequestSchema, {
  loginKey: secret,
  label: optionalLine(limits.labelCharacters),
  accountName: optionalLine(limits.accountNameCharacters),
});
request(access.AddAccountRequestSchema, { loginKey: secret, accountName: requiredLine(limits.accountNameCharacters) });
request(access.ListAccountsRequestSchema, { loginKey: secret, after: cursor, pageSize });
request(access.WhoAmIRequestSchema, {});
request(access.CreateConnectionRequestSchema, {
  label: requiredLine(limits.labelCharacters),
  expireSeconds: upTo(limits.connectionSeconds),
  // Their reader names the word it does not know.
  scopes: each(limits.scopes, free),
  targets: each(limits.targets, optionalLine(limits.targetCharacters)),
});
request(access.UpdateConnectionRequestSchema, {
  connectionId: requiredId,
  label: absentOr(requiredLine(limits.labelCharacters)),
  scopes: (list, path) => each(limits.scopes, free)(list?.values ?? [], path),
  targets: (list, path) => each(limits.targets, optionalLine(limits.targetCharacters))(list?.values ?? [], path),
});
request(access.CreateSignInCodeRequestSchema, {});
request(access.ListAuditEventsRequestSchema, { after: cursor, pageSize, connectionId: optionalId });
request(access.ListConnectionsRequestSchema, { after: cursor, pageSize, includeEnded: free });
request(access.RevokeConnectionRequestSchema, { connectionId: requiredId });

request(common.StringListSchema, { values: each(limits.allowedConnections, requiredId) });
request(agents.RegisterRequestSchema, {
  agentName: requiredName,
  provider: absentOr(optionalLine(limits.providerCharacters)),
  purpose: absentOr(optionalLine(limits.purposeCharacters)),
  allowedConnectionIds: inner,
});
request(agents.UnregisterRequestSchema, { agentName: requiredName });
request(agents.GetRequestSchema, { agentName: requiredName });
request(agents.ListRequestSchema, { after: cursor, pageSize });
request(agents.SetPurposeRequestSchema, {
  agentName: name,
  purpose: optionalLine(limits.purposeCharacters),
  attachmentId: optionalId,
});
request(agents.WatchDirectoryRequestSchema, {});
request(agents.ResetWakeBudgetRequestSchema, { agentName: name });

request(attachments.ProcessKeySchema, {
  pid: upTo({ max: Number.MAX_SAFE_INTEGER, unit: '', why: '' }),
  startTime: optionalLine(limits.processCharacters),
  bootId: optionalLine(limits.processCharacters),
});
request(attachments.AttachRequestSchema, {
  agentName: requiredName,
  provider: requiredLine(limits.providerCharacters),
  sessionId: requiredLine(limits.sessionIdCharacters),
  process: inner,
  origin: specified(attachments.AttachOrigin),
  folder: bytes(limits.folderBytes),
  computer: optionalLine(limits.computerCharacters),
  purpose: absentOr(optionalLine(limits.purposeCharacters)),
});
request(attachments.DetachRequestSchema, { attachmentId: requiredId });
request(attachments.ListAttachmentsRequestSchema, { after: cursor, pageSize });
request(attachments.ConfirmRequestSchema, { attachmentId: requiredId });
request(attachments.ClaimOfferRequestSchema, {
  attachmentId: requiredId,
  messageIds,
  route: requiredLine(limits.routeCharacters),
  wakes: free,
});
request(attachments.AcknowledgeRequestSchema, {
  attachmentId: requiredId,
  messageIds,
  acknowledgement: specified(attachments.Acknowledgement),
});

request(messages.SendRequestSchema, {
  target: optionalLine(limits.targetCharacters),
  inboxId: optionalId,
  body,
  submissionId,
  agentName: name,
  contentType: oneOf('', 'text/plain', 'text/markdown', 'application/json'),
  metadata,
  inReplyTo: optionalId,
  noWake: free,
  attachmentId: optionalId,
});
request(messages.ReadRequestSchema, {
  agentName: name,
  inboxId: optionalId,
  after: cursor,
  pageSize,
  waitSeconds: upTo(limits.waitSeconds),
  fromAgent: name,
  attachmentId: optionalId,
});
request(messages.SearchRequestSchema, {
  query: requiredLine(limits.searchQueryCharacters),
  agentName: name,
  after: cursor,
  pageSize,
  attachmentId: optionalId,
});
request(messages.GetReceiptsRequestSchema, { messageId: requiredId, attachmentId: optionalId });
request(messages.WatchInboxRequestSchema, { inboxId: requiredId, after: cursor, attachmentId: optionalId });
request(messages.WatchMailboxRequestSchema, { agentName: name, after: cursor, attachmentId: optionalId });

request(bridge.LinkRequestSchema, { frame: (frame) => inner(frame.value, frame.case ?? '') });
request(bridge.HelloSchema, {
  version: optionalLine(limits.processCharacters),
  bootId: optionalLine(limits.processCharacters),
  computer: optionalLine(limits.computerCharacters),
  capabilities: each(limits.capabilities, optionalLine(limits.routeCharacters)),
});
request(bridge.BindSchema, { leases: each(limits.leasesPerFrame, byItsAnswerer) });
request(bridge.LeaseBindingSchema, {
  attachmentId: requiredId,
  childSecret: secret,
  after: cursor,
  route,
  wakes: free,
  routeDetail: detail,
});
request(bridge.UnbindSchema, { attachmentIds: each(limits.leasesPerFrame, requiredId) });
request(bridge.SubmissionsSchema, { submissions: each(limits.messagesPerFrame, inner) });
request(bridge.SubmissionSchema, { tag: free, request: byItsAnswerer });
request(bridge.ClaimSchema, { tag: free, request: byItsAnswerer });
request(bridge.AcknowledgeSchema, { tag: free, request: byItsAnswerer });
request(bridge.EvidenceSchema, { evidence: each(limits.evidencePerFrame, inner) });
request(bridge.HostEvidenceSchema, {
  attachmentId: requiredId,
  kind: free, // An open set: what this server does not know, it ignores.
  messageIds,
  // Cut to size where they are kept: nobody is answered, so nobody could be told.
  route: text,
  detail: text,
  wakes: free,
});
request(bridge.PongSchema, { nonce: free });
