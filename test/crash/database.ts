import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kills the embedded PostgreSQL of a data folder, every process of it at once; answers how many there were. */
export function killPostgres(data: string): number {
  const main = Number(readFileSync(join(data, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const workers = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(/\s+/).map(Number);
  const all = [main, ...workers].filter((pid) => pid > 1);
  for (const pid of all)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself between the two.
    }
  return all.length;
}
