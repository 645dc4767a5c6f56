import { readFileSync } from 'node:fs';
import { StartRefusal } from '../start-refusal.ts';

/**
 * PostgreSQL refuses to run as root. In a user namespace root is somebody else for PostgreSQL only: every file stays
 * root's, so the folder can be closed to all others.
 */
export function asUser(command: readonly string[]): [command: string, args: string[]] {
  const whole = process.getuid?.() === 0 ? ['unshare', ...mapped(), ...command] : command;
  const [first, ...args] = whole;
  return [first!, args];
}

/** PostgreSQL asks for the name of its user, so it must be one that /etc/passwd knows. */
function mapped(): string[] {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':')[2] ?? '')
    .filter((uid) => /^[1-9]\d*$/.test(uid));
  const uid = users.includes('65534') ? '65534' : users[0];
  if (uid === undefined)
    throw new StartRefusal(`PostgreSQL refuses to run as root. /etc/passwd names nobody else; ${remedy}`);
  return ['--user', `--map-user=${uid}`, `--map-group=${uid}`];
}

/** What a failed program meant, when it failed on the way to becoming somebody else. */
export function namespaceRefusal(output: string): StartRefusal | undefined {
  const words =
    /^unshare: .*$/m.exec(output)?.[0] ?? (/spawn unshare ENOENT/.test(output) ? 'unshare: not installed' : '');
  if (words === '') return undefined;
  return new StartRefusal(
    `PostgreSQL refuses to run as root, and this machine allows no user namespace (${words}); ${remedy}`,
  );
}

const remedy = 'run agentworks as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours';
