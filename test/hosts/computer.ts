import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cleanUp, type Served, start } from '../e2e/server-process.ts';

const run = promisify(execFile);
const program = resolve('bin/agentworks.cjs');

/** The command line, as it is run from a shell. */
export const commandLine = `'${process.execPath}' '${program}'`;

/** A person's computer: a home, a project, a server, a sign-in and a bridge, all in one short folder of its own. */
export class Computer implements AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  /** Another project, without the plugin. */
  readonly bare: string;
  readonly env: Record<string, string>;
  readonly server: Served;

  private constructor(folder: string, server: Served) {
    this.folder = folder;
    this.server = server;
    this.home = join(folder, 'home');
    this.project = join(folder, 'project');
    this.bare = join(folder, 'bare');
    const runtime = join(folder, 'run');
    for (const made of [this.home, this.project, this.bare, runtime]) mkdirSync(made, { mode: 0o700 });
    this.env = {
      HOME: this.home,
      PATH: `${resolve('node_modules/.bin')}:/usr/bin:/bin`,
      XDG_RUNTIME_DIR: runtime,
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      AGENTWORKS_DATA: server.data,
      AGENTWORKS_KEYRING: 'off',
    };
  }

  /** Signed in; the bridge is not started. */
  static async open(): Promise<Computer> {
    // Paths of sockets are short; the system's temporary folder may not be.
    const folder = mkdtempSync('/tmp/aw-');
    chmodSync(folder, 0o700);
    const computer = new Computer(folder, await start());
    await computer.agentworks('login');
    return computer;
  }

  /** Runs one command; answers what it printed. */
  async agentworks(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [program, ...args], { env: this.env, cwd: this.project });
    return stdout;
  }

  /** The one JSON document that a command prints. */
  async asked<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.agentworks(...args, '--json')) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agentworks('bridge', 'stop').catch(() => {});
    await this.server.kill();
    await cleanUp();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
