import { dataFolder, findLocalServer, readLoginKey } from '../../../bridge/account/local-server.ts';
import { type AgentWorks, connect } from '../../../bridge/client/index.ts';
import type { Io } from '../../context.ts';

/** Acts as whoever owns the server's machine: proved by the login key, over the server's socket only. */
export async function asOwner<T>(
  io: Io,
  act: (access: AgentWorks['access'], loginKey: string) => Promise<T>,
): Promise<T> {
  const data = dataFolder(io.env);
  const client = connect({ address: `unix:${findLocalServer(data).socket}` });
  try {
    return await act(client.access, readLoginKey(data));
  } finally {
    client.close();
  }
}
