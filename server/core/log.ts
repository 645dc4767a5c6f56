import { pino } from 'pino';
import { loggable } from './loggable.ts';

export type Log = ReturnType<typeof newLog>;

/** One JSON line an event, on stderr: stdout belongs to whoever started us. Never a body, never a secret. */
export const newLog = (level: string) =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'event',
      serializers: { err: loggable },
    },
    pino.destination(2),
  );
