import { Code, type ConnectError } from '@connectrpc/connect';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { nearNames } from '../core/near.ts';
import { limits } from '../core/limits.ts';
import { Problem } from '../core/problem.ts';
import { fieldNames } from './services.ts';

/**
 * What could not be read at all, in our words: Connect's own quote the request, and a body does not belong in a sentence.
 * Nothing when it is not about the request.
 */
export function malformed(error: ConnectError): Problem | undefined {
  const said = error.rawMessage;
  if (said === 'decompression failed') return refuse('the request could not be decompressed');
  if (/(maximum recursion depth of \d+ reached|Maximum call stack size exceeded)$/.test(said)) return tooDeep();
  if (error.code === Code.ResourceExhausted) return tooLarge(Number(/message size (\d+)/.exec(said)?.[1] ?? 0));
  if (said.startsWith('received compressed envelope'))
    return refuse('the message is flagged as compressed, but no encoding is named; name it in grpc-encoding');
  if (error.code === Code.Internal && !said.startsWith('parse binary')) return undefined;
  if (error.code === Code.Internal)
    return refuse(
      `the request is not a valid protobuf message${/utf-?8/i.test(said) ? ': a string is not UTF-8' : ''}`,
    );
  if (error.code !== Code.InvalidArgument && error.code !== Code.Unimplemented) return undefined;
  const unknown = /cannot decode message (\S+) from JSON: key "(.*)" is unknown$/s.exec(said);
  if (unknown !== null) return unknownField(unknown[1]!, unknown[2]!);
  const field = /cannot decode (?:field|oneof) \S*?(\w+) from JSON/.exec(said)?.[1];
  // JSON can write what UTF-8 cannot; a binary client refuses the same text about the same field, before it sends it.
  if (field !== undefined && /invalid UTF8/i.test(said))
    return new Problem(Reason.BAD_FIELD, `${field} holds half of a surrogate pair, which is not text`, {
      subject: field,
    });
  if (field !== undefined) return refuse(`${field} has a value that is not of its type`, field);
  if (/cannot decode/.test(said)) return refuse(`the request is not valid JSON${position(said)}`);
  if (/encoded data was not valid/.test(said)) return refuse('the request is not UTF-8');
  if (/promised|incomplete envelope/.test(said)) return refuse('the request ended before it was whole');
  return refuse(said);
}

const refuse = (sentence: string, subject = 'request') => new Problem(Reason.MALFORMED, sentence, { subject });

function tooLarge(bytes: number): Problem {
  const { max } = limits.requestBytes;
  return new Problem(
    Reason.LIMIT_EXCEEDED,
    `the request is ${bytes > 0 ? `${bytes} bytes` : 'too large'}; the limit is ${max} bytes. Send less at once`,
    { subject: 'request', bound: max },
  );
}

export function tooDeep(): Problem {
  const { max } = limits.requestDepth;
  return new Problem(
    Reason.LIMIT_EXCEEDED,
    `the request is nested more than ${max} levels deep; metadata may have ${limits.metadataDepth.max}. Send something flatter`,
    { subject: 'request', bound: max },
  );
}

function unknownField(message: string, name: string): Problem {
  const suggestions = nearNames(name, fieldNames(message));
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : '';
  const sentence = `${message.split('.').at(-1)} has no field "${name.slice(0, 64)}"${hint}`;
  return new Problem(Reason.MALFORMED, sentence, { subject: name.slice(0, 64), suggestions });
}

/** Where in the text, as V8 tells in one of its sentences; what it quotes of the text is left out. */
const position = (said: string): string => / at position \d+( \(line \d+ column \d+\))?/.exec(said)?.[0] ?? '';
