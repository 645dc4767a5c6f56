/** One published bound: what it bounds, in which unit, and why it is what it is. */
export interface Limit {
  readonly max: number;
  readonly unit: string;
  readonly why: string;
}

const limit = (max: number, unit: string, why: string): Limit => ({ max, unit, why });

/** Every bound of the contract (CON-6). docs/limits.md is generated from this table, and so are the refusals. */
export const limits = {
  bodyBytes: limit(256 * 1024, 'bytes', 'the body of a message; larger content belongs in a file whose path is sent'),
  metadataBytes: limit(16 * 1024, 'bytes', 'the metadata of a message as JSON'),
  metadataDepth: limit(16, 'levels', 'nesting of metadata; deep JSON overflows the stack of whoever prints it'),
  submissionIdCharacters: limit(128, 'characters', 'a submission id'),
  requestBytes: limit(4 * 1024 * 1024, 'bytes', 'one request, or one frame of a stream, after decompression'),
  requestElements: limit(100_000, 'marks', 'commas, colons and opening brackets of a request in JSON'),
  requestDepth: limit(32, 'levels', 'nesting of a request'),
  pageSize: limit(100, 'items', 'one page of any list'),
  pageBytes: limit(3 * 1024 * 1024, 'bytes', 'the bodies on one page, since gRPC clients refuse answers over 4 MiB'),
  waitSeconds: limit(25, 'seconds', 'how long a read waits; hosts cut tool calls off at 60'),
  idCharacters: limit(64, 'characters', 'an id of any kind'),
  searchQueryCharacters: limit(256, 'characters', 'a search'),
  targetCharacters: limit(73, 'characters', 'a target: `workflow:` and a name'),
  agentNameCharacters: limit(64, 'characters', 'an agent name'),
  providerCharacters: limit(64, 'characters', 'the kind of program behind an agent'),
  purposeCharacters: limit(512, 'characters', 'a purpose: one paragraph'),
  purposeSeconds: limit(60, 'seconds', 'between two purposes set by an attached agent'),
  agentsPerAccount: limit(100, 'agents', 'registered names an account'),
  agentsPerServer: limit(2_000, 'agents', 'registered names a server'),
  allowedConnections: limit(20, 'connections', 'connections allowed to use one name'),
  sessionIdCharacters: limit(200, 'characters', "a host's own id of a session"),
  processCharacters: limit(64, 'characters', 'the start time of a process, or the boot id of a computer'),
  folderBytes: limit(1_024, 'bytes', 'the folder a session works in'),
  computerCharacters: limit(64, 'characters', 'the name of a computer'),
  routeCharacters: limit(64, 'characters', 'the name of a way in to a session'),
  detailCharacters: limit(128, 'characters', 'a short reason in the words of a bridge or a host'),
  broadcastRecipients: limit(100, 'agents', 'recipients of agent:*'),
  labelCharacters: limit(64, 'characters', 'the label of a connection'),
  accountNameCharacters: limit(64, 'characters', 'an account name'),
  connectionsPerAccount: limit(1_000, 'connections', 'live connections an account, children among them'),
  connectionSeconds: limit(315_360_000, 'seconds', 'the life of a connection that expires: ten years'),
  scopes: limit(20, 'scopes', 'what a connection may do, by scope or by bundle'),
  targets: limit(100, 'targets', 'agents that one connection may reach, where they are named'),
  auditEvents: limit(10_000, 'events', 'the audit log of an account; the oldest go first'),
  auditRefusals: limit(1_000, 'events', 'refusals in the audit log of an account, which drive out nothing else'),
  signInCodes: limit(5, 'codes', 'sign-in codes alive an account; a newer one ends the oldest'),
  signInCodeSeconds: limit(300, 'seconds', 'the life of a sign-in code'),
  signInGuesses: limit(100, 'guesses', 'wrong sign-in codes a server takes in a minute; then none is looked at'),
  grantDays: limit(90, 'days', 'for how long a program can be let in by OAuth; then its person is asked again'),
  refreshGraceSeconds: limit(
    30,
    'seconds',
    'after its first use in which a refresh token may be used again: many processes of one client refresh at once',
  ),
  registrationBytes: limit(16 * 1024, 'bytes', 'what an OAuth client says of itself when it registers'),
  registrationsPerMinute: limit(
    60,
    'clients',
    'OAuth clients that register at one node, or whose description it fetches, in a minute',
  ),
  unusedClients: limit(1_000, 'clients', 'registered OAuth clients that nobody let in yet; the oldest goes first'),
  messagesPerFrame: limit(500, 'messages', 'submissions in one frame of a link'),
  idsPerRequest: limit(100, 'ids', 'messages named in one claim or acknowledgement'),
  leasesPerFrame: limit(200, 'leases', 'leases bound in one frame of a link'),
  capabilities: limit(100, 'words', 'what a bridge says it understands'),
  evidencePerFrame: limit(100, 'pieces', 'what hosts showed, in one frame of a link'),
  deliveryBatch: limit(20, 'messages', 'messages delivered to one lease at once'),
  hops: limit(8, 'hops', 'messages since a turn of a person before agents stop waking each other'),
  wakesPerPair: limit(20, 'wakes', 'one agent waking another, in ten minutes'),
  wakesPerAccount: limit(600, 'wakes', 'agents of an account woken, in an hour'),
} as const satisfies Record<string, Limit>;
