import { commands } from './commands.ts';

const ours = new RegExp(`(?<![\\w/.-]|npx )agentworks (?=(?:${Object.keys(commands).join('|')})(?![\\w.-]))`, 'g');

/**
 * A sentence with its commands as this person types them. Whoever came by npx, as in a clone, has no `agentworks` on the
 * PATH.
 */
export const asTyped = (env: NodeJS.ProcessEnv, sentence: string): string =>
  env['npm_command'] === 'exec' ? sentence.replace(ours, 'npx agentworks ') : sentence;
