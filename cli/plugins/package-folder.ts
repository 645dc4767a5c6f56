import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where this package lies: a clone, or what npm installed. */
export function packageFolder(): string {
  const above = ['..', '../..'].map((up) => fileURLToPath(new URL(up, import.meta.url)));
  return above.find((folder) => existsSync(join(folder, 'bin', 'agentworks.cjs'))) ?? above[0]!;
}
