import type { IncomingHttpHeaders } from 'node:http';

/** A timer holds 24 days and fires at once for more: whoever asks for more has no deadline. */
const MOST_MS = 2 ** 31 - 1;

const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const unitMs = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };

export const timeoutOf = (headers: IncomingHttpHeaders): string | undefined => headers['grpc-timeout']?.toString();

export const isTimeout = (timeout: string): boolean => TIMEOUT.test(timeout);

/** What a timer can hold of a timeout in the form of gRPC. */
export function timeoutMs(timeout: string | undefined): number | undefined {
  const [, count, unit] = TIMEOUT.exec(timeout ?? '') ?? [];
  return held(Number(count) * unitMs[unit as keyof typeof unitMs]);
}

const held = (ms: number): number | undefined => (ms <= MOST_MS ? ms : undefined);

/** Takes away what Connect would set a timer for that fires at once. What cannot be read is left for it to refuse. */
export function dropEndless(header: Headers): void {
  const grpc = header.get('grpc-timeout');
  if (grpc !== null && isTimeout(grpc) && timeoutMs(grpc) === undefined) header.delete('grpc-timeout');
  const connect = header.get('connect-timeout-ms');
  if (connect !== null && /^\d{1,10}$/.test(connect) && held(Number(connect)) === undefined)
    header.delete('connect-timeout-ms');
}
