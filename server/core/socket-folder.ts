import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { StartRefusal } from './start-refusal.ts';

/** The path of a Unix socket has 108 bytes on Linux and 104 on macOS, the closing zero among them. */
const SOCKET_PATH_BYTES = 103;

/**
 * Where a Unix socket called `name` can be: in `folder`, or, when that path is too long or the file system has no
 * sockets, in a short folder of this user that stands for `folder`.
 */
export async function socketFolder(folder: string, name: string, env = process.env): Promise<string> {
  if (Buffer.byteLength(join(folder, name)) <= SOCKET_PATH_BYTES && (await holdsSockets(folder))) return folder;
  const key = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);
  return ownFolder(join(runtimeFolder(env), key));
}

async function holdsSockets(folder: string): Promise<boolean> {
  const path = join(folder, `.${process.pid}`);
  const probe = createServer();
  try {
    rmSync(path, { force: true });
    await new Promise<void>((done, failed) => {
      probe.once('error', failed);
      probe.listen(path, done);
    });
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
    rmSync(path, { force: true });
  }
}

function runtimeFolder(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_RUNTIME_DIR'];
  if (given !== undefined && given.startsWith('/') && given.length < 48 && isOurs(given))
    return ownFolder(join(given, 'agentworks'));
  return ownFolder(`/tmp/agentworks-${process.getuid?.() ?? 0}`);
}

function isOurs(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** In a place where everybody may write, somebody may have made the folder, or a link, before us. */
function ownFolder(folder: string): string {
  makeFolder(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid))
    throw new StartRefusal(
      `${folder} is not a folder of this user; remove it, or set XDG_RUNTIME_DIR to a folder of yours`,
    );
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}
