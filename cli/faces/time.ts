import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' });

const steps = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [30 * 86_400, 'day', 86_400],
  [365 * 86_400, 'month', 30 * 86_400],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400],
] as const;

/** How long ago, or in how long. */
export function ago(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1_000);
  if (Math.abs(seconds) < 5) return 'now';
  const [, unit, size] = steps.find(([below]) => Math.abs(seconds) < below)!;
  return relative.format(Math.trunc(seconds / size), unit);
}

export const dateOf = (time: Timestamp | undefined): Date | undefined =>
  time === undefined ? undefined : timestampDate(time);
