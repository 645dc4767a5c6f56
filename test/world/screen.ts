import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { render } from 'ink';
import type { ReactNode } from 'react';

class Keyboard extends EventEmitter {
  readonly isTTY = true;
  readonly #waiting: string[] = [];
  setEncoding(): void {}
  setRawMode(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
  ref(): void {}
  unref(): void {}
  read(): string | null {
    return this.#waiting.shift() ?? null;
  }
  send(data: string): void {
    this.#waiting.push(data);
    this.emit('readable');
  }
}

/** A terminal in memory: what a screen writes goes through a real emulator, so that a test sees what a person would. */
export async function openScreen(node: ReactNode, columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  let raw = '';
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      raw += chunk.toString();
      terminal.write(chunk.toString().replaceAll(/(?<!\r)\n/g, '\r\n'), done);
    },
  });
  const stdout = Object.assign(writable, { columns, rows, isTTY: true });
  const keyboard = new Keyboard();
  const app = render(node, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: keyboard as unknown as NodeJS.ReadStream,
    interactive: true,
    alternateScreen: true,
    patchConsole: false,
    maxFps: 1_000,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((done) => setTimeout(done, 5));
      await app.waitUntilRenderFlush();
    }
    await new Promise<void>((done) => terminal.write('', done));
  };
  const active = () => terminal.buffer.active;
  const lines = (): string[] =>
    Array.from({ length: terminal.rows }, (_, at) =>
      active()
        .getLine(active().viewportY + at)!
        .translateToString(true),
    );
  await settle();
  return {
    lines,
    titles,
    text: () => lines().join('\n'),
    raw: () => raw,
    cursor: () => ({ x: active().cursorX, y: active().cursorY }),
    left: app.waitUntilExit().catch(() => {}),
    async press(data: string): Promise<void> {
      keyboard.send(data);
      await settle();
    },
    async resize(width: number, height: number): Promise<void> {
      terminal.resize(width, height);
      Object.assign(stdout, { columns: width, rows: height });
      stdout.emit('resize');
      await settle();
    },
    async close(): Promise<void> {
      app.unmount();
      await app.waitUntilExit().catch(() => {});
      terminal.dispose();
    },
  };
}
