import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { OauthClient } from '../oauth/client.ts';
import { inWorld } from '../world/world.ts';

test('the official suite for authorization servers finds nothing wrong', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const port = await freePort();
    const callback = `http://127.0.0.1:${port}/callback`;
    const client = await OauthClient.register(world.url, { redirect_uris: [callback] });
    const suite = spawn(
      'conformance',
      [
        'authorization',
        '--url',
        world.url,
        '--client-id',
        client.clientId,
        '--resource',
        client.resource,
        '--port',
        String(port),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    let opened = false;
    const finished = once(suite, 'close');
    suite.stderr.on('data', (text: Buffer) => (said += String(text)));
    suite.stdout.on('data', (text: Buffer) => {
      said += String(text);
      const address = /^http\S+\/oauth\/authorize\?\S+$/m.exec(said)?.[0];
      if (address === undefined || opened) return;
      opened = true;
      // The person's browser: it allows, and is sent back to the suite.
      void client.allowed(person, new URL(address)).then((left) => fetch(left));
    });
    const [code] = (await finished) as [number];
    expect(said).toMatch(/authorization-server-metadata-endpoint/);
    expect(said).toMatch(/[1-9]\d* passed, 0 failed/);
    expect(code).toBe(0);
  }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
