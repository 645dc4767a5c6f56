import { type Connection, ConnectionKindSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import type { Shown } from '../../faces/face.ts';
import type { Standing } from '../../faces/theme.ts';
import { dateOf } from '../../faces/time.ts';
import { wordOf } from '../../faces/words.ts';

export const connectionTable = (connections: readonly Connection[], now: Date): Shown => ({
  columns: [
    { title: 'CONNECTION' },
    { title: 'KIND' },
    { title: 'STATE' },
    { title: 'LABEL', gives: true },
    { title: 'MAY' },
    { title: 'REACHES' },
    { title: 'MADE' },
    { title: 'SEEN' },
    { title: 'ENDS' },
  ],
  rows: connections.map((connection) => [
    connection.connectionId,
    wordOf(ConnectionKindSchema, connection.kind),
    standingOf(connection, now),
    labelOf(connection),
    connection.scopes.join(' '),
    reachOf(connection),
    dateOf(connection.createTime),
    dateOf(connection.lastSeenTime),
    dateOf(connection.expireTime),
  ]),
});

function labelOf({ label, agentName, clientName, redirectHost }: Connection): string {
  if (agentName !== '') return `${label} (${agentName})`;
  if (clientName === '' || clientName === label) return redirectHost === '' ? label : `${label} (at ${redirectHost})`;
  return `${label} (${clientName}${redirectHost && ` at ${redirectHost}`})`;
}

function reachOf({ targets }: Connection): string {
  if (targets === undefined) return 'everyone';
  return targets.values.length === 0 ? 'nobody' : targets.values.join(' ');
}

function standingOf({ current, revokeTime, expireTime }: Connection, now: Date): Standing {
  if (revokeTime !== undefined) return { word: 'revoked', tone: 'bad' };
  const ends = dateOf(expireTime);
  if (ends !== undefined && ends < now) return { word: 'expired', tone: 'away' };
  return current ? { word: 'this one', tone: 'good' } : { word: 'live', tone: 'good' };
}
