import type { DescMessage } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  CreateConnectionRequestSchema,
  ListConnectionsRequestSchema,
  ListAuditEventsRequestSchema,
  RevokeConnectionRequestSchema,
  UpdateConnectionRequestSchema,
} from '#gen/agentworks/access/v1/access_pb.ts';
import * as agents from '#gen/agentworks/agents/v1/agents_pb.ts';
import * as messages from '#gen/agentworks/messages/v1/messages_pb.ts';
import { everyEntry, type Verb } from '../../cli/commands.ts';

/** Which request each command is the face of. */
const requests: Record<string, readonly DescMessage[]> = {
  'messages register': [agents.RegisterRequestSchema],
  'messages unregister': [agents.UnregisterRequestSchema],
  'messages list': [agents.ListRequestSchema],
  'messages send': [messages.SendRequestSchema],
  'messages read': [messages.ReadRequestSchema],
  'messages watch': [messages.WatchMailboxRequestSchema, messages.WatchInboxRequestSchema],
  'messages search': [messages.SearchRequestSchema],
  'messages receipts': [messages.GetReceiptsRequestSchema],
  'messages purpose': [agents.SetPurposeRequestSchema],
  'agents get': [agents.GetRequestSchema],
  'agents reset-wakes': [agents.ResetWakeBudgetRequestSchema],
  'connections create': [CreateConnectionRequestSchema],
  'connections list': [ListConnectionsRequestSchema],
  'connections rename': [UpdateConnectionRequestSchema],
  'connections narrow': [UpdateConnectionRequestSchema],
  'connections revoke': [RevokeConnectionRequestSchema],
  audit: [ListAuditEventsRequestSchema],
};

/** The spellings that were published before the API had these names. */
const published: Record<string, string> = {
  agent: 'agent_name',
  inbox: 'inbox_id',
  message: 'body',
  wait: 'wait_seconds',
  attachment: 'attachment_id',
  'allow-connection': 'allowed_connection_ids',
};

/** What a command needs beside its request: where text comes from, and when to stop. */
const ownOptions = new Set(['input', 'count']);

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test.each(Object.keys(requests))('CON-1a the options of agentworks %s are the fields of its request', async (line) => {
  const entry = [...everyEntry()].find(([words]) => words.join(' ') === line)![1];
  const command = await (entry as Verb).load();
  const fields = requests[line]!.flatMap((request) => request.fields.map(({ name }) => name));
  const strange = Object.entries(command.options).filter(([option, { kind }]) => {
    const name = kebab(option);
    const field = published[name] ?? name.replaceAll('-', '_');
    // One value of a list at a time.
    const isOfList = kind === 'many' && fields.includes(`${field}s`);
    return !ownOptions.has(name) && !fields.includes(field) && !isOfList;
  });
  expect(fields.length).toBeGreaterThan(0);
  expect(strange).toEqual([]);
});
