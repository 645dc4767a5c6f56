import { execFile } from 'node:child_process';
import { Refusal } from '../../../bridge/client/index.ts';
import type { Io } from '../../context.ts';
import { findProgram, isProgram } from '../find-program.ts';

/** As `claude plugin list --json` says it. */
export interface ListedPlugin {
  readonly id: string;
  readonly scope: string;
  readonly enabled: boolean;
  readonly projectPath?: string;
  /** Whether that project enables it; `enabled` speaks of the folder that it was asked in. */
  readonly projectEnabled?: boolean;
}

/** As `claude plugin marketplace list --json` says it. */
export interface ListedMarketplace {
  readonly name: string;
  readonly path?: string;
}

const MAX_MS = 60_000;

/** Claude Code's own plugin commands: what it keeps about plugins is written by nobody else. */
export class ClaudeProgram {
  readonly #path: string;
  readonly #env: Io['env'];

  constructor(io: Io, named: string | undefined) {
    const path = named ?? findProgram(io.env, 'claude');
    if (path === undefined || !isProgram(path)) throw missing(named);
    this.#path = path;
    this.#env = io.env;
  }

  plugins = async (): Promise<readonly ListedPlugin[]> => parse(await this.#run(['list', '--json'], '/'));

  marketplaces = async (): Promise<readonly ListedMarketplace[]> =>
    parse(await this.#run(['marketplace', 'list', '--json'], '/'));

  /** `claude plugin …`, in this folder. */
  do = async (words: readonly string[], folder: string): Promise<void> => void (await this.#run(words, folder));

  #run(words: readonly string[], cwd: string): Promise<string> {
    const options = { cwd, env: this.#env, timeout: MAX_MS, maxBuffer: 16 * 1024 * 1024 };
    return new Promise((done, failed) => {
      execFile(this.#path, ['plugin', ...words], options, (error, out, complaint) => {
        if (error === null) done(out);
        else failed(refused(words, `${complaint}\n${out}`));
      });
    });
  }
}

function parse(text: string): never[] {
  try {
    return JSON.parse(text) as never[];
  } catch {
    const sentence = 'This Claude Code answers in a form that is not known here. Update AgentWorks.';
    throw new Refusal('VERSION_MISMATCH', sentence);
  }
}

const missing = (named: string | undefined): Refusal =>
  new Refusal('NOT_FOUND', `${named ?? 'claude'} is no program here. Name Claude Code with --program PATH.`, {
    subject: 'program',
  });

function refused(words: readonly string[], said: string): Refusal {
  const line = said
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '');
  return new Refusal('UNAVAILABLE', `Claude Code refused \`claude plugin ${words.join(' ')}\`: ${line ?? 'no reason'}`);
}
