import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The client that these tests were written against. */
export const VERSION = '2.1.332';

const FETCH_MS = 240_000;

/** The real Claude Code, fetched once by npm into the temporary folder; or why it is not here. */
export async function claudeProgram(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const folder = join(tmpdir(), 'agentworks-hosts', `claude-${VERSION}`);
  const path = join(folder, 'node_modules', name, 'claude');
  if (existsSync(path)) return { path };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', `${name}@${VERSION}`];
  try {
    await promisify(execFile)('npm', words, { cwd: folder, timeout: FETCH_MS });
    return { path };
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').slice(0, 3).join(' ') : String(error);
    return { missing: `npm could not fetch ${name}@${VERSION}: ${said}` };
  }
}
