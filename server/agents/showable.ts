import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';

/** Control and format characters, surrogates, and breaks of line or paragraph. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * What is shown to people and to other agents is one paragraph: nothing in it may be invisible, turn the text around it
 * the other way, or look like a new paragraph (AGT-7).
 */
export function checkShowable(text: string, subject: string): void {
  if (UNSHOWABLE.test(text))
    throw new Problem(
      Reason.BAD_FIELD,
      `${subject} is one paragraph without control, invisible or direction characters; remove them`,
      { subject },
    );
}
