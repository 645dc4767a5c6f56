import type { WhoAmIResponse } from '#gen/agentworks/access/v1/access_pb.ts';
import { ConnectionKindSchema } from '#gen/agentworks/access/v1/access_pb.ts';
import type { Kept } from '../../../bridge/account/credentials.ts';
import type { Shown } from '../../faces/face.ts';
import { wordOf } from '../../faces/words.ts';

/** Who one is, to which server, and where that is kept. */
export function contextTable(who: WhoAmIResponse, { file, keeper, address }: Kept & { address: string }): Shown {
  return {
    columns: [{ title: '' }, { title: '' }],
    rows: [
      ['account', who.accountName],
      ['connection', who.connectionId],
      ['kind', wordOf(ConnectionKindSchema, who.kind)],
      ...(who.agentName === '' ? [] : [['agent', who.agentName]]),
      ['server', address],
      ['server version', who.serverVersion],
      ['config', file],
      ['secret', keeper === 'keyring' ? "in the system's keyring" : 'in the config file, which only you can read'],
    ],
  };
}
