import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** The tools of this computer, without the packages of this project. */
const outside = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.startsWith(resolve('.')) && entry !== dirname(process.execPath))
  .join(delimiter);

interface Packed {
  readonly tarball: string;
  readonly kib: number;
  readonly files: readonly string[];
}

export function pack(folder: string): Packed {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { encoding: 'utf8' }).replace(
      /^[^]*?(?=^\[)/m,
      '',
    ),
  ) as [{ filename: string; size: number; files: readonly { path: string }[] }];
  return {
    tarball: join(folder, packed.filename),
    kib: Math.ceil(packed.size / 1024),
    files: packed.files.map(({ path }) => path),
  };
}

/** Installs a Node of this major version; answers a PATH on which it is the first. */
export function installNode(folder: string, major: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(folder, `node-${major}`);
  project(prefix);
  npm(['install', `${name}@${major}`], outside, prefix);
  return [join(prefix, 'node_modules', name, 'bin'), outside].join(delimiter);
}

/** As a person installs a program; answers what npm had to say, and how many packages came. */
export function installGlobally(tarball: string, prefix: string, path: string): { said: string; packages: number } {
  const said = npm(['install', '--global', '--prefix', prefix, tarball], path);
  return { said, packages: Number(/added (\d+) package/.exec(said)?.[1]) };
}

/** As a program takes in a library; the optional packages are those of the server. */
export function installLibrary(tarball: string, folder: string, path: string): void {
  project(folder);
  npm(['install', '--omit=optional', tarball], path, folder);
}

function project(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
}

function npm(args: readonly string[], path: string, cwd = '/'): string {
  const env = { ...process.env, PATH: path, npm_config_loglevel: 'warn' };
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const said = `${stderr}${stdout}`.trim();
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}: ${said}`);
  return said;
}
