import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeIfEmpty } from '../stable-folder.ts';

/** What Claude Code leaves empty in its settings when the last plugin or marketplace goes. */
const KEYS = ['enabledPlugins', 'extraKnownMarketplaces'];

/** Takes the empty entries out of one settings file, and the file and its folder where nothing else is in them. */
export function tidySettings(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const settings = parse(readFileSync(file, 'utf8'));
  const empty = KEYS.filter((key) => isEmpty(settings?.[key]));
  if (settings === undefined || empty.length === 0) return;
  for (const key of empty) delete settings[key];
  if (Object.keys(settings).length > 0) return writeFileSync(file, `${JSON.stringify(settings, undefined, 2)}\n`);
  rmSync(file);
  removeIfEmpty(dirname(file));
}

/** The copies that Claude Code keeps of plugins it no longer has. */
export const removeCopies = (claudeFolder: string, marketplace: string): void =>
  rmSync(join(claudeFolder, 'plugins', 'cache', marketplace), { recursive: true, force: true });

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
