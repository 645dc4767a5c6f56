import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../e2e/server-process.ts';
import type { Computer } from '../computer.ts';
import type { FakeModel } from './model.ts';

const run = promisify(execFile);

const KEY = `sk-ant-dummy-${'0'.repeat(24)}`;

/** What Claude Code writes about a running chat. */
export interface Registration {
  readonly pid: number;
  readonly sessionId: string;
  readonly status: string;
  readonly messagingSocketPath: string;
}

const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };

/** What Claude Code needs so as to ask nothing of the person, and nobody of the outside world. */
function claudeEnv(computer: Computer, model: FakeModel): Record<string, string> {
  const settings = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '99.0.0',
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries([computer.project, computer.bare].map((folder) => [folder, trusted])),
  };
  const file = join(computer.home, '.claude.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {};
  writeFileSync(file, JSON.stringify({ ...kept, ...settings }));
  return {
    ...computer.env,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    IS_SANDBOX: '1',
  };
}

/** One turn without a terminal; answers what it printed. */
export async function print(computer: Computer, model: FakeModel, path: string, prompt: string): Promise<string> {
  const child = run(path, ['-p', prompt], { env: claudeEnv(computer, model), cwd: computer.project });
  child.child.stdin?.end();
  return (await child).stdout;
}

/** A real chat in a terminal, typed into as a person does. */
export class Chat implements AsyncDisposable {
  readonly #computer: Computer;
  readonly #terminal: string;
  readonly #pid: number;

  private constructor(computer: Computer, terminal: string, pid: number) {
    this.#computer = computer;
    this.#terminal = terminal;
    this.#pid = pid;
  }

  static async open(
    computer: Computer,
    model: FakeModel,
    path: string,
    { args = [], folder = computer.project }: { args?: readonly string[]; folder?: string } = {},
  ): Promise<Chat> {
    const terminal = join(computer.folder, `tmux-${Math.random().toString(36).slice(2, 8)}`);
    const env = claudeEnv(computer, model);
    const words = ['-f', '/dev/null', 'new-session', '-d', '-P', '-F', '#{pane_pid}', '-x', '150', '-y', '50'];
    const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const program = ['--', path, '--permission-mode', 'manual', ...args];
    const { stdout } = await run('tmux', ['-S', terminal, ...words, ...settings, '-c', folder, ...program], {
      env,
    });
    const chat = new Chat(computer, terminal, Number(stdout));
    try {
      await chat.shows(/❯/);
      await chat.is(() => chat.registration?.status === 'idle', 'ready');
    } catch (error) {
      await chat[Symbol.asyncDispose]();
      throw error;
    }
    return chat;
  }

  /** The chat's own entry, while it runs. */
  get registration(): Registration | undefined {
    const file = join(this.#computer.home, '.claude', 'sessions', `${this.#pid}.json`);
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Registration;
    } catch {
      return undefined;
    }
  }

  get session(): Registration {
    const found = this.registration;
    if (found === undefined) throw new Error(`no chat runs as ${this.#pid}; there are ${this.#others().join(', ')}`);
    return found;
  }

  /** Puts words into the prompt, as a paste does. */
  async draft(words: string): Promise<void> {
    await this.#tmux('send-keys', '-l', words);
    await until(async () => (await this.screen()).includes(words.slice(-30)), `the prompt showed ${words}`);
  }

  /** In place of whatever stood there: a command that was answered by a hook stays in the prompt. */
  async type(words: string): Promise<void> {
    await this.press('C-u');
    await this.draft(words);
    await this.press('Enter');
  }

  press = (key: string): Promise<string> => this.#tmux('send-keys', key);

  screen = (): Promise<string> => this.#tmux('capture-pane', '-p', '-S', '-200');

  shows = (pattern: RegExp): Promise<void> =>
    this.is(async () => pattern.test(await this.screen()), `showing ${pattern}`);

  /** Waits until it is so; else says what the screen shows instead. */
  async is(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    await until(holds, `the chat was ${what}`).catch(async (error: Error) => {
      throw new Error(`${error.message}:\n${await this.screen().catch(() => 'it is gone')}`);
    });
  }

  /** Writes to the chat's own socket, as any program of this user can. */
  async inject(content: string): Promise<void> {
    const { messagingSocketPath, sessionId } = this.session;
    const frame = { type: 'user', session_id: sessionId, message: { role: 'user', content } };
    await new Promise<void>((done, failed) => {
      const socket = connect(messagingSocketPath, () => socket.end(`${JSON.stringify(frame)}\n`));
      socket
        .once('close', () => done())
        .once('error', failed)
        .resume();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => '');
    await until(() => this.registration === undefined || !isRunning(this.#pid), 'the chat ended');
  }

  async #tmux(...words: readonly string[]): Promise<string> {
    return (await run('tmux', ['-S', this.#terminal, ...words])).stdout;
  }

  #others(): string[] {
    const folder = join(this.#computer.home, '.claude', 'sessions');
    return existsSync(folder) ? readdirSync(folder) : [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
