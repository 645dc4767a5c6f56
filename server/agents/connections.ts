import type { Manager } from '../core/database.ts';

/** What agents ask of access; handed over in compose.ts. */
export interface Connections {
  /** Which of these are live connections of the account, and of what kind. */
  alive(
    em: Manager,
    accountId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, 'login' | 'service' | 'child' | 'client' | 'browser'>>;
  /**
   * Gives the agent's child connection a new secret and a new parent, or makes a child where none is alive. The id
   * stays the same as long as the child lives (ATT-7); the old secret is worth nothing from the commit on.
   */
  giveChild(
    em: Manager,
    child: { accountId: string; agentId: string; parentId: string; label: string },
  ): Promise<{ readonly id: string; readonly secret: string }>;
  /** Revokes every live child of the agent, and answers their ids. */
  revokeChildren(em: Manager, agentId: string): Promise<readonly string[]>;
}
