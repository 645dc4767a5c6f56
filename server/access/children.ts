import type { Manager } from '../core/database.ts';
import { hashSecret, newSecret } from '../core/secret.ts';
import { makeConnection } from './make-connection.ts';
import { aliveAmong, renewChild, revokeChildrenOf } from './store/connections.ts';

/** What other rooms ask about connections; handed to them in compose.ts. */
export const connections = {
  alive: aliveAmong,

  /** The id stays as long as the child lives; of its secrets only the newest is worth something (ATT-7). */
  async giveChild(
    em: Manager,
    child: { readonly accountId: string; readonly agentId: string; readonly parentId: string; readonly label: string },
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const secret = newSecret();
    const id = await renewChild(em, { ...child, secretHash: hashSecret(secret) });
    if (id !== undefined) return { id, secret };
    const made = await makeConnection(em, { ...child, kind: 'child' });
    // Those that died with an earlier parent: none of them may come back to life.
    await revokeChildrenOf(em, child.agentId, made.connectionId);
    return { id: made.connectionId, secret: made.secret };
  },

  /** Every child of the agent that is not revoked; answers the ids. */
  revokeChildren: (em: Manager, agentId: string): Promise<string[]> => revokeChildrenOf(em, agentId),
};
