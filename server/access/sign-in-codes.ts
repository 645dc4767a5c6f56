import { randomInt } from 'node:crypto';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import type { Database } from '../core/database.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { hashSecret } from '../core/secret.ts';
import { audit } from './audit.ts';
import type { Known } from './callers.ts';
import { addCode, countGuess, takeCode, uncountGuess } from './store/sign-in-codes.ts';

/** Without those that look alike: a person types it from one screen into another. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const LENGTH = 8;

/** Codes by which a browser signs in as a person: 39 bits, for five minutes, once, against few guesses. */
export const openSignInCodes = (deps: { readonly orm: Database }) => ({
  async create(caller: Known): Promise<{ readonly code: string; readonly expireTime: string }> {
    const code = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const { accountId, connectionId } = caller;
    const expireTime = await deps.orm.em.fork().transactional(async (em) => {
      await audit(em, {
        accountId,
        kind: 'sign_in_code.created',
        connectionId,
        subject: connectionId,
        sentence: 'made a code that signs a browser in',
      });
      const bound = { seconds: limits.signInCodeSeconds.max, most: limits.signInCodes.max };
      return addCode(em, { hash: hashSecret(code), accountId, connectionId }, bound);
    });
    return { code: `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`, expireTime };
  },

  /** Whose account it opens; undefined for one that was never made, was used, or is too old. */
  async redeem(typed: string): Promise<string | undefined> {
    const code = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
    // Counted before it is looked at, so that many at one moment are no way around the bound.
    if ((await countGuess(deps.orm.em.fork())) > limits.signInGuesses.max) throw tooMany();
    return deps.orm.em.fork().transactional(async (em) => {
      const taken = code.length === LENGTH ? await takeCode(em, hashSecret(code)) : undefined;
      if (taken === undefined) return undefined;
      await uncountGuess(em);
      const { account_id: accountId, connection_id: connectionId } = taken;
      await audit(em, {
        accountId,
        kind: 'sign_in_code.used',
        connectionId,
        subject: connectionId,
        sentence: 'a browser signed in by a code that this connection made',
      });
      return accountId;
    });
  },
});

const tooMany = () =>
  new Problem(
    Reason.TOO_OFTEN,
    `more than ${limits.signInGuesses.max} wrong sign-in codes came in this minute; wait a minute and make a new code`,
    { subject: 'code', bound: 60 },
  );
