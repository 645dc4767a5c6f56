import type { DescService, JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import type { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import type { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import type { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import type { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';

export type CommandLine = (input: never) => readonly string[];

/** The command for each RPC; undefined where a person is given none. A new RPC does not compile without a line here. */
type Words<S extends DescService> = {
  readonly [M in keyof S['method']]:
    | ((input: MessageInitShape<S['method'][M]['input']>) => readonly string[])
    | undefined;
};

const command = (words: string, ...flags: readonly (readonly string[])[]): string[] => [
  ...words.split(' '),
  '--json',
  ...flags.flat(),
];
const flag = (name: string, value: string | number | bigint | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, String(value)];
const on = (name: string, value: boolean | undefined): string[] => (value === true ? [`--${name}`] : []);
const operand = (value: string | undefined): string[] => ['--', value ?? ''];
const json = (value: JsonObject | undefined) => (value === undefined ? undefined : JSON.stringify(value));

/** An empty list is told apart from none by one empty value (AGT-3). */
const kept = (name: string, list: { readonly values?: readonly string[] } | undefined): string[] =>
  list === undefined ? [] : each(name, list.values?.length ? list.values : ['']);
const each = (name: string, values: readonly string[] | undefined): string[] =>
  (values ?? []).flatMap((value) => [`--${name}`, value]);

export const argvOf: {
  readonly messages: Words<typeof MessageService>;
  readonly agents: Words<typeof AgentService>;
  readonly attachments: Words<typeof AttachmentService>;
  readonly access: Words<typeof AccessService>;
} = {
  messages: {
    send: (input) =>
      command(
        'messages send',
        flag('agent', input.agentName),
        flag('target', input.target),
        flag('inbox', input.inboxId),
        flag('submission-id', input.submissionId),
        flag('content-type', input.contentType),
        flag('metadata', json(input.metadata)),
        flag('in-reply-to', input.inReplyTo),
        on('no-wake', input.noWake),
        flag('attachment', input.attachmentId),
        operand(input.body),
      ),
    read: (input) =>
      command(
        'messages read',
        flag('agent', input.agentName),
        flag('inbox', input.inboxId),
        flag('after', input.after),
        flag('page-size', input.pageSize),
        flag('wait', input.waitSeconds),
        flag('from-agent', input.fromAgent),
        flag('attachment', input.attachmentId),
      ),
    search: (input) =>
      command(
        'messages search',
        flag('agent', input.agentName),
        flag('after', input.after),
        flag('page-size', input.pageSize),
        flag('attachment', input.attachmentId),
        operand(input.query),
      ),
    getReceipts: (input) =>
      command('messages receipts', flag('attachment', input.attachmentId), operand(input.messageId)),
    watchInbox: (input) =>
      command(
        'messages watch',
        flag('inbox', input.inboxId),
        flag('after', input.after),
        flag('attachment', input.attachmentId),
      ),
    watchMailbox: (input) =>
      command(
        'messages watch',
        flag('agent', input.agentName),
        flag('after', input.after),
        flag('attachment', input.attachmentId),
      ),
  },
  agents: {
    register: (input) =>
      command(
        'messages register',
        flag('agent', input.agentName),
        flag('provider', input.provider),
        flag('purpose', input.purpose),
        kept('allow-connection', input.allowedConnectionIds),
      ),
    unregister: (input) => command('messages unregister', flag('agent', input.agentName)),
    get: (input) => command('agents get', operand(input.agentName)),
    list: (input) => command('messages list', flag('after', input.after), flag('page-size', input.pageSize)),
    setPurpose: (input) =>
      command(
        'agents purpose',
        flag('agent', input.agentName),
        flag('attachment', input.attachmentId),
        operand(input.purpose),
      ),
    watchDirectory: () => command('agents watch'),
    resetWakeBudget: (input) => command('agents reset-wakes', flag('agent', input.agentName)),
  },
  // A person attaches a session that was verified on this computer; none of it can be made up by a caller.
  attachments: {
    attach: undefined,
    detach: undefined,
    listAttachments: undefined,
    confirm: undefined,
    claimOffer: undefined,
    acknowledge: undefined,
  },
  access: {
    login: undefined,
    addAccount: undefined,
    listAccounts: undefined,
    whoAmI: () => command('help context'),
    createConnection: (input) =>
      command(
        'connections create',
        each('scope', input.scopes),
        each('target', input.targets),
        flag('expire-seconds', input.expireSeconds),
        operand(input.label),
      ),
    listConnections: (input) =>
      command(
        'connections list',
        flag('after', input.after),
        flag('page-size', input.pageSize),
        on('include-ended', input.includeEnded),
      ),
    revokeConnection: (input) => command('connections revoke', operand(input.connectionId)),
    updateConnection: (input) =>
      input.label === undefined
        ? command(
            'connections narrow',
            kept('scope', input.scopes),
            kept('target', input.targets),
            operand(input.connectionId),
          )
        : command('connections rename', flag('label', input.label), operand(input.connectionId)),
    createSignInCode: () => command('sign-in-code'),
    listAuditEvents: (input) =>
      command(
        'audit',
        flag('connection-id', input.connectionId),
        flag('after', input.after),
        flag('page-size', input.pageSize),
      ),
  },
};
