import type { DescMethod } from '@bufbuild/protobuf';
import { AccessService } from '#gen/agentworks/access/v1/access_pb.ts';
import { AgentService } from '#gen/agentworks/agents/v1/agents_pb.ts';
import { AttachmentService } from '#gen/agentworks/agents/v1/attachments_pb.ts';
import { BridgeService } from '#gen/agentworks/bridge/v1/bridge_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '#gen/grpc/reflection/v1/reflection_pb.ts';
import type { Caller } from './callers.ts';
import type { Scope } from './scopes.ts';

export const services = {
  messages: MessageService,
  agents: AgentService,
  attachments: AttachmentService,
  bridge: BridgeService,
  access: AccessService,
} as const;

/** yes: the verb decides the rest. own: only as the agent that the caller is bound to. no: refused before the verb. */
type Plain = 'yes' | 'own' | 'no';
/** A program is let in by the scope that its connection needs for it. */
export type Cell = Plain | Scope;
type Row = readonly [nobody: Plain, person: Plain, connection: 'yes' | 'no' | Scope, child: Plain];

export type Rpc = {
  [S in keyof typeof services]: `${S}.${keyof (typeof services)[S]['method'] & string}`;
}[keyof typeof services];

/** Who may call what (ACC-5). An RPC without a row does not compile; a test walks every cell. */
// oxfmt-ignore
export const table: Readonly<Record<Rpc, Row>> = {
  //                               nobody  person  connection         child
  'messages.send':               [ 'no',   'yes',  'messages:send',   'own' ],
  'messages.read':               [ 'no',   'yes',  'messages:read',   'own' ],
  'messages.search':             [ 'no',   'yes',  'messages:read',   'own' ],
  'messages.getReceipts':        [ 'no',   'yes',  'messages:read',   'own' ],
  'messages.watchInbox':         [ 'no',   'yes',  'messages:read',   'own' ],
  'messages.watchMailbox':       [ 'no',   'yes',  'messages:read',   'own' ],

  'agents.register':             [ 'no',   'yes',  'agents:register', 'no'  ],
  'agents.unregister':           [ 'no',   'yes',  'agents:register', 'no'  ],
  'agents.get':                  [ 'no',   'yes',  'messages:read',   'yes' ],
  'agents.list':                 [ 'no',   'yes',  'messages:read',   'yes' ],
  'agents.setPurpose':           [ 'no',   'yes',  'agents:register', 'own' ],
  'agents.watchDirectory':       [ 'no',   'yes',  'messages:read',   'no'  ],
  'agents.resetWakeBudget':      [ 'no',   'yes',  'no',              'no'  ],

  'attachments.attach':          [ 'no',   'yes',  'no',              'no'  ],
  'attachments.detach':          [ 'no',   'yes',  'no',              'own' ],
  'attachments.listAttachments': [ 'no',   'yes',  'messages:read',   'no'  ],
  'attachments.confirm':         [ 'no',   'yes',  'no',              'no'  ],
  'attachments.claimOffer':      [ 'no',   'yes',  'no',              'own' ],
  'attachments.acknowledge':     [ 'no',   'no',   'no',              'own' ],

  'bridge.link':                 [ 'no',   'yes',  'messages:send',   'no'  ],

  // The login key is their proof, whoever shows it.
  'access.login':                [ 'yes',  'yes',  'no',              'no'  ],
  'access.addAccount':           [ 'yes',  'yes',  'no',              'no'  ],
  'access.listAccounts':         [ 'yes',  'yes',  'no',              'no'  ],
  'access.whoAmI':               [ 'no',   'yes',  'yes',             'yes' ],
  'access.createConnection':     [ 'no',   'yes',  'no',              'no'  ],
  'access.listConnections':      [ 'no',   'yes',  'no',              'no'  ],
  'access.revokeConnection':     [ 'no',   'yes',  'no',              'no'  ],
  'access.updateConnection':     [ 'no',   'yes',  'no',              'no'  ],
  'access.createSignInCode':     [ 'no',   'yes',  'no',              'no'  ],
  'access.listAuditEvents':      [ 'no',   'yes',  'no',              'no'  ],
};

const columns = { nobody: 0, person: 1, connection: 2, child: 3 } as const satisfies Record<Caller['kind'], number>;
export const kinds = Object.keys(columns) as Caller['kind'][];

const rows = new Map<DescMethod, { readonly rpc: Rpc; readonly row: Row }>(
  Object.entries(services).flatMap(([name, service]) =>
    service.methods.map((method) => {
      const rpc = `${name}.${method.localName}` as Rpc;
      return [method, { rpc, row: table[rpc] }] as const;
    }),
  ),
);

const open = new Set<DescMethod>([...Health.methods, ...ServerReflection.methods]);

/** Health and reflection say nothing of anybody: they have no row and answer all. */
export const isOpen = (method: DescMethod): boolean => open.has(method);

export const cellOf = (rpc: Rpc, kind: Caller['kind']): Cell => table[rpc][columns[kind]];

/** What is in no row is refused to everybody. */
export const cellFor = (method: DescMethod, kind: Caller['kind']): Cell => rows.get(method)?.row[columns[kind]] ?? 'no';

/** Which kinds of caller may, for the sentence of a refusal. */
export const allowedFor = (method: DescMethod): Caller['kind'][] =>
  kinds.filter((kind) => kind !== 'nobody' && cellFor(method, kind) !== 'no');
