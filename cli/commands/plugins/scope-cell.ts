import type { Scope } from '../../plugins/host.ts';

/** Where a plugin works, in a word. */
export const scopeCell = (scope: Scope): string => (scope === 'global' ? 'every chat' : scope.project);
