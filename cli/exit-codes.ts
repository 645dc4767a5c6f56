import type { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';

/** Published: a script branches on these. */
export const exitCodes = {
  UNSPECIFIED: 1,
  SIGNED_OUT: 10,
  NOT_ALLOWED: 11,
  BAD_FIELD: 12,
  LIMIT_EXCEEDED: 13,
  NOT_FOUND: 14,
  SUBMISSION_CONFLICT: 15,
  BAD_CURSOR: 16,
  SELF_SEND: 17,
  LEASE_ENDED: 18,
  MALFORMED: 19,
  UNKNOWN_RPC: 20,
  UNAVAILABLE: 21,
  STORAGE_FULL: 22,
  DEADLINE_EXCEEDED: 23,
  CANCELED: 24,
  INTERNAL: 25,
  FOREIGN_REQUEST: 26,
  TOO_OFTEN: 27,
  NAME_HELD: 28,
  VERSION_MISMATCH: 29,
  SCOPE_MISSING: 30,
} as const satisfies Record<keyof typeof Reason, number>;

/** What each means, in a few words. */
export const meanings = {
  UNSPECIFIED: 'refused for a reason this version does not know',
  SIGNED_OUT: 'no sign-in, or one that is revoked or expired',
  NOT_ALLOWED: 'you may not do this',
  BAD_FIELD: 'a value breaks a rule',
  LIMIT_EXCEEDED: 'over a published bound',
  NOT_FOUND: 'no such thing, or not yours to see',
  SUBMISSION_CONFLICT: 'the submission id was used with other content',
  BAD_CURSOR: 'the cursor belongs elsewhere, or is damaged',
  SELF_SEND: 'an agent does not write to itself',
  LEASE_ENDED: 'the attachment was replaced, detached or revoked',
  MALFORMED: 'the request could not be read',
  UNKNOWN_RPC: 'the server does not know this call',
  UNAVAILABLE: 'the server or its database is away; safe to repeat',
  STORAGE_FULL: "the server's disk is full; nothing was stored",
  DEADLINE_EXCEEDED: 'no answer in time; safe to repeat',
  CANCELED: 'given up before the answer',
  INTERNAL: 'a fault of the server, written to its log',
  FOREIGN_REQUEST: 'the server does not answer under this name',
  TOO_OFTEN: 'done too often; wait a little',
  NAME_HELD: 'another chat holds the name',
  SCOPE_MISSING: 'the connection has not the scope that this takes',
  VERSION_MISMATCH: 'client and server are too far apart; the sentence says which to update',
} as const satisfies Record<keyof typeof Reason, string>;

/** A fault of this program, or a check of `doctor` that failed. */
export const FAULT = 1;
/** The command was not understood: nothing was asked of the server. */
export const USAGE = 2;
/** Ctrl-C. */
export const INTERRUPTED = 130;
