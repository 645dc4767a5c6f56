import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

type Env = Readonly<Record<string, string | undefined>>;

const PATIENCE_MS = 60_000;
const runFile = promisify(execFile);

/** The program as a person has it: a command, a folder of its own, and what it prints. */
export class Program {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentworks-trial-'));
  readonly data = join(this.folder, 'data');
  readonly #command: readonly string[];
  readonly #env: Env;
  readonly #running = new Set<ChildProcess>();

  constructor(command: readonly string[], env: Env = {}) {
    this.#command = command;
    this.#env = {
      ...process.env,
      AGENTWORKS_DATA: this.data,
      AGENTWORKS_CONFIG: join(this.folder, 'config.json'),
      XDG_STATE_HOME: join(this.folder, 'state'),
      XDG_RUNTIME_DIR: this.folder,
      ...env,
    };
  }

  /** Starts a server on a free port; answers where it is. */
  async serve(env: Env = {}): Promise<{ readonly url: string; readonly socket: string }> {
    const server = this.start([...this.#command, 'server'], { AGENTWORKS_ADDRESS: '127.0.0.1:0', ...env });
    const url = await saidBy(server, /ready at (http\S+)/);
    return { url, socket: `unix:${join(this.data, 'server.sock')}` };
  }

  /** Runs one command to its end; answers what it printed. Fails as the command does. */
  async run(...args: readonly string[]): Promise<string> {
    const [file, ...before] = this.#command;
    const { stdout } = await runFile(file!, [...before, ...args], { env: this.#env, timeout: PATIENCE_MS });
    return stdout;
  }

  /** A secret for a program of its own. */
  async secret(label: string): Promise<string> {
    const made = JSON.parse(await this.run('connections', 'create', '--label', label, '--json')) as { secret: string };
    return made.secret;
  }

  /** Starts any command in this environment; it ends with `close` at the latest. */
  start([file, ...args]: readonly string[], env: Env = {}): ChildProcess {
    const child = spawn(file!, args, { env: { ...this.#env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  /** The command, to be given to `start`. */
  line(...args: readonly string[]): string[] {
    return [...this.#command, ...args];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((child) => stop(child)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Resolves once it prints a line like this, with what the pattern's first group found. */
export async function saidBy(child: ChildProcess, pattern: RegExp): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const late = setTimeout(() => lines.close(), PATIENCE_MS);
  const said: string[] = [];
  try {
    for await (const line of lines) {
      said.push(line);
      const match = pattern.exec(line);
      if (match !== null) return match[1] ?? match[0];
    }
  } finally {
    clearTimeout(late);
    child.stdout!.resume();
  }
  throw new Error(`${child.spawnargs.join(' ')} did not say ${pattern} within a minute, but: ${said.join('\n')}`);
}

/** Resolves when it ended well, with what it printed. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(late);
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? signal}: ${output}`);
  return output;
}
