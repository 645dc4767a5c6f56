import { spawn } from 'node:child_process';
import { Refusal } from '../../bridge/client/index.ts';
import { command } from '../command.ts';
import { findProgram } from '../plugins/find-program.ts';

/** What a running Claude Code tells its own children. Its settings, such as CLAUDE_CONFIG_DIR, are the person's and stay. */
const inherited = new Set([
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PLUGIN_DATA',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_PROJECT_DIR',
]);

export const claude = command({
  description:
    'What another chat told this shell does not go with it, so that the new chat is taken for no other. Everything after the\ncommand is given to Claude Code as it is; ask for its own help with: agentworks claude -- --help',
  options: {},
  operand: { name: 'ARGUMENT', summary: "Claude Code's own", optional: true, many: true },
  examples: ['agentworks claude', 'agentworks claude --resume'],
  async run({ io }, _given, _operand, all) {
    const found = findProgram(io.env, 'claude');
    if (found === undefined)
      throw new Refusal('NOT_FOUND', 'Claude Code is not on PATH. Install it, then again: agentworks claude');
    const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !inherited.has(name)));
    const child = spawn(found, [...all], { stdio: 'inherit', env });
    // Ctrl-C reaches it by itself; it decides what that means.
    return new Promise((done, fail) => {
      child.on('error', fail);
      child.on('exit', (code, signal) => done(signal === null ? (code ?? 1) : 130));
    });
  },
});
