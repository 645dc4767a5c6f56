import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { answer } from '../rpc/answer.ts';
import { tooDeep } from '../rpc/malformed.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Turns the bytes of a request into text for Connect's JSON, once it is seen that reading them is bounded work: what
 * costs is not the bytes but the values they spell, a microsecond and more for each, on the one thread there is.
 */
export class JsonText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  decode(bytes: Uint8Array): string {
    checkElements(bytes);
    return this.#decoder.decode(bytes);
  }
}

function checkElements(bytes: Uint8Array): void {
  let elements = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++)
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > limits.requestDepth.max) throw answer(tooDeep());
        if (++elements > limits.requestElements.max) throw tooMany();
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
      case COLON:
        if (++elements > limits.requestElements.max) throw tooMany();
        break;
    }
}

/** Where the quote is that ends it; the end of the bytes when none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escape = at;
    while (escape > start && bytes[escape - 1] === BACKSLASH) escape--;
    if ((at - escape) % 2 === 0) return at;
  }
  return bytes.length;
}

const tooMany = () =>
  answer(
    new Problem(
      Reason.LIMIT_EXCEEDED,
      `the request has more than ${limits.requestElements.max} commas, colons and opening brackets. Send less at once`,
      { subject: 'request', bound: limits.requestElements.max },
    ),
  );
