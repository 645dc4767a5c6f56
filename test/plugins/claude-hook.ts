import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { join } from 'node:path';
import { type Known, pluginFiles } from '../../cli/plugins/claude/files.ts';
import { writeFolder } from '../../cli/plugins/stable-folder.ts';

interface Hooks {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

/** How a hook ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What the bridge was asked. */
export interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An installed plugin, and a bridge that answers what the test says. */
export class Installed implements AsyncDisposable {
  readonly folder = mkdtempSync('/tmp/aw-');
  /** Where a person may well have it. */
  readonly plugin = join(this.folder, "Ünser 'Ordner' $HOME");
  readonly socket = join(this.folder, 'socket');
  readonly asked: Asked[] = [];
  answer = '';
  #server: Server | undefined;

  constructor(known: Partial<Known> = {}) {
    mkdirSync(join(this.folder, 'attached'));
    this.install(known);
  }

  install(known: Partial<Known>): void {
    const usual = {
      attached: join(this.folder, 'attached'),
      record: join(this.folder, 'bridge.json'),
      config: join(this.folder, 'config.json'),
      node: process.execPath,
      curl: '/usr/bin/curl',
      head: '/usr/bin/head',
    };
    writeFolder(this.plugin, pluginFiles({ ...usual, ...known }));
  }

  attach = (session: string): void => writeFileSync(join(this.folder, 'attached', session), this.socket);

  async listen(): Promise<void> {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        this.asked.push({ url: request.url ?? '', headers: request.headers, body });
        response.writeHead(200, { 'content-type': 'text/plain' }).end(this.answer);
      });
    });
    await once(this.#server.listen(this.socket), 'listening');
    writeFileSync(join(this.folder, 'bridge.json'), JSON.stringify({ socket: this.socket }));
  }

  /** Starts the hook of an event as Claude Code does. */
  start(event: string, session: string, before: readonly string[] = []): ChildProcessWithoutNullStreams {
    const { hooks } = JSON.parse(readFileSync('plugins/claude/hooks/hooks.json', 'utf8')) as Hooks;
    const line = [...before, '/bin/sh', '-c', hooks[event]![0]!.hooks[0]!.command];
    const [program = '', ...args] = line;
    const env = { PATH: '', CLAUDE_PLUGIN_ROOT: this.plugin, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PID: '4711' };
    return spawn(program, args, { env });
  }

  /** Runs it to its end, with what the host says. */
  run(event: string, session: string, payload: object = {}, before: readonly string[] = []): Promise<Ended> {
    const child = this.start(event, session, before);
    const ended = endOf(child);
    child.stdin.on('error', () => {}).end(`${JSON.stringify(payload)}\n`);
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
