import type { Where } from '../../bridge/socket/where.ts';
import type { Io } from '../context.ts';

/** Where a plugin is to work: in one project, or in every chat of this user. */
export type Scope = { readonly project: string } | 'global';

/** One plugin as its host knows it. */
export interface Installed {
  readonly scope: Scope;
  readonly enabled: boolean;
}

/** A host's own way to install our plugin; one a provider. */
export interface PluginHost {
  readonly provider: string;
  /** The plugin's files, of this user alone. The host reads them where they are. */
  readonly folder: string;
  /** What installing changes, one line a thing; refuses where it would take what is not ours. */
  plan(scope: Scope): Promise<readonly string[]>;
  install(scope: Scope): Promise<void>;
  /** Takes it out of these places; out of the last one, its files go too. */
  uninstall(scopes: readonly Scope[]): Promise<void>;
  installed(): Promise<readonly Installed[]>;
}

/** What a host is made from. */
export interface Setting {
  readonly io: Io;
  readonly where: Where;
  /** The host program; found on PATH when absent. */
  readonly program: string | undefined;
}
