import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';

/** A web page on an origin of its own. */
export interface Served {
  readonly origin: string;
  close(): void;
}

export async function servePage(html: string): Promise<Served> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A page file, its module scripts bundled as Vite or any other bundler does. */
export async function bundlePage(path: string): Promise<string> {
  const html = readFileSync(path, 'utf8');
  const [whole, script] = /<script type="module">([^]*?)<\/script>/.exec(html) ?? [];
  if (whole === undefined || script === undefined) throw new Error(`${path} has no module script`);
  const bundled = await bundleScript(script, dirname(path));
  return html.replace(whole, () => bundled);
}

/** TypeScript or JavaScript, as a module script for a page. */
export async function bundleScript(code: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  return `<script type="module">${outputFiles[0]!.text.replaceAll('</script', '<\\/script')}</script>`;
}

/** The Chromium of this computer. */
export async function openBrowser(...flags: readonly string[]): Promise<Browser> {
  const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = places.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined)
    throw new Error('there is no Chromium here; install one (Debian: apt install chromium) or name it in CHROMIUM');
  // A browser started by root, as in a container, has no sandbox of its own.
  return chromium.launch({ executablePath, args: [...flags, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });
}
