import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Refusal } from '../../../bridge/client/index.ts';
import type { Where } from '../../../bridge/socket/where.ts';
import type { Io } from '../../context.ts';
import { findProgram, isProgram } from '../find-program.ts';
import type { Installed, PluginHost, Scope, Setting } from '../host.ts';
import { removeFolder, writeFolder } from '../stable-folder.ts';
import { type Known, pluginFiles } from './files.ts';
import { ClaudeProgram } from './program.ts';
import { removeCopies, tidySettings } from './traces.ts';

/** The plugin and the marketplace that holds it have one name, so that the typed command has it too. */
const NAME = 'agentworks';
const ID = `${NAME}@${NAME}`;

export function claudeHost({ io, where, program }: Setting): PluginHost {
  const claude = new ClaudeProgram(io, program);
  const folder = join(dirname(where.config), 'plugins', 'claude');
  const settings = (scope: Scope) => (scope === 'global' ? userSettings(io) : projectSettings(scope.project));

  async function installed(): Promise<Installed[]> {
    const listed = (await claude.plugins()).filter(({ id }) => id === ID);
    if (listed.length > 0) await checkOurs();
    return listed.flatMap(({ scope, enabled, projectPath, projectEnabled }): Installed[] => {
      if (scope === 'user') return [{ scope: 'global', enabled }];
      if (projectPath === undefined) return [];
      return [{ scope: { project: projectPath }, enabled: projectEnabled ?? enabled }];
    });
  }

  /** Somebody else's marketplace of our name is not ours to use, nor to take away. */
  async function checkOurs(): Promise<boolean> {
    const found = (await claude.marketplaces()).find(({ name }) => name === NAME);
    if (found === undefined || found.path === folder) return found !== undefined;
    const sentence = `Claude Code knows another marketplace named ${NAME}, at ${found.path ?? 'another place'}. Remove it first: claude plugin marketplace remove ${NAME}`;
    throw new Refusal('NAME_HELD', sentence, { subject: NAME });
  }

  return {
    provider: 'claude',
    folder,
    installed,
    async plan(scope) {
      const isKnown = await checkOurs();
      return [
        `write the plugin to ${folder}`,
        ...(isKnown ? [] : [`add that folder as a marketplace to ${userSettings(io)}`]),
        `enable ${ID} in ${settings(scope)}`,
      ];
    },
    async install(scope) {
      writeFolder(folder, pluginFiles(known(io, where)));
      if (!(await checkOurs())) await claude.do(['marketplace', 'add', folder], '/');
      await claude.do(['install', ID, ...inScope(scope)], folderOf(scope));
    },
    async uninstall(scopes) {
      for (const scope of scopes) {
        await claude.do(['uninstall', ID, ...inScope(scope)], folderOf(scope));
        tidySettings(settings(scope));
      }
      if ((await installed()).length > 0) return;
      if (await checkOurs()) await claude.do(['marketplace', 'remove', NAME], '/');
      tidySettings(userSettings(io));
      removeCopies(claudeFolder(io), NAME);
      removeFolder(folder);
    },
  };
}

const inScope = (scope: Scope): string[] => ['--scope', scope === 'global' ? 'user' : 'project'];
const folderOf = (scope: Scope): string => (scope === 'global' ? '/' : scope.project);

const claudeFolder = ({ env }: Io): string => env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude');
const userSettings = (io: Io): string => join(claudeFolder(io), 'settings.json');
const projectSettings = (project: string): string => join(project, '.claude', 'settings.json');

const known = (io: Io, { attached, record, config }: Where): Known => ({
  attached,
  record,
  config,
  node: process.execPath,
  curl: tool(io, 'curl'),
  head: tool(io, 'head'),
});

/** The system's own where there is one: what is first on PATH today may be gone tomorrow. */
const tool = ({ env }: Io, name: string): string =>
  ['/usr/bin', '/bin'].map((at) => join(at, name)).find(isProgram) ?? findProgram(env, name) ?? '';
