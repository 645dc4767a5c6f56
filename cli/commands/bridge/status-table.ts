import type { BridgeStatus } from '#gen/agentworks/bridge/v1/local_pb.ts';
import type { Shown } from '../../faces/face.ts';
import type { Cell } from '../../faces/table.ts';
import { dateOf } from '../../faces/time.ts';

/** One line a fact; the attached sessions after it, with the way in and why it is not a better one. */
export function statusTable(status: BridgeStatus | undefined): Shown {
  if (status === undefined) return { columns: [], rows: [] };
  const { version, pid, server, connected, problem, serverVersion, sinceTime, outbox, sessions } = status;
  const rows: (readonly Cell[])[] = [
    ['version', version],
    ['process', String(pid)],
    ['server', server],
    ['link', connected ? { word: 'up', tone: 'good' } : { word: 'away', tone: 'waiting' }],
    ['since', dateOf(sinceTime)],
    ['server version', serverVersion],
    ['problem', problem],
    ['to send', outbox === 0 ? '' : outbox],
    ...sessions.map((session) => ['attached', sessionLine(session)]),
  ];
  return { columns: [{ title: '' }, { title: '', gives: true }], rows: rows.filter(([, value]) => value !== '') };
}

type Session = BridgeStatus['sessions'][number];

const sessionLine = ({ agentName, provider, route, routeDetail, folder, waiting }: Session): string =>
  [
    `${agentName}: ${provider} in ${folder}`,
    routeDetail === '' ? `by ${route}` : `by ${route} (${routeDetail})`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
  ].join(', ');
