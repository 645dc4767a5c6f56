import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';

/**
 * Control and format characters, surrogates, and breaks of line or paragraph. What is said here is shown to people and to
 * other agents: nothing in it may be invisible, reverse the text around it, or look like a new paragraph (AGT-7).
 */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function checkText(text: string, subject: string, bound: number): void {
  const { length } = Array.from(text);
  if (length > bound)
    throw new Problem(
      Reason.LIMIT_EXCEEDED,
      `the ${subject} has ${length} characters; the limit is ${bound}. Shorten it`,
      {
        subject,
        bound,
      },
    );
  if (UNSHOWABLE.test(text))
    throw new Problem(
      Reason.BAD_FIELD,
      `the ${subject} is one paragraph without control, invisible or direction characters; remove them`,
      { subject },
    );
}

export const checkPurpose = (purpose: string): void => checkText(purpose, 'purpose', limits.purposeCharacters.max);

export const checkProvider = (provider: string): void => checkText(provider, 'provider', limits.providerCharacters.max);
