import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../scripts/trial/page.ts';
import { OauthClient, signInCode, statusFor } from '../oauth/client.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';

let chromium: Browser;

beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium.close());

/** A program on the person's computer that waits for its answer. */
async function callback() {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    resolve(new URL(request.url!, 'http://127.0.0.1'));
    response.setHeader('connection', 'close').end('back in the program');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, answered: promise, close };
}

test.each([false, true])('in a real browser a person lets a program in, script allowed: %s', async (hasScript) => {
  const program = await callback();
  const context = await chromium.newContext({ javaScriptEnabled: hasScript });
  try {
    await inWorld(async (world) => {
      const person = await world.person();
      await world.agent('alice');
      await world.agent('bob');
      const client = await OauthClient.register(world.url, { redirect_uris: [program.address] });
      const { url, verifier } = client.request({ redirect_uri: program.address });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(url.href);
      await page.locator('input[name=code]').fill(await signInCode(person));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Let a program in?' }).waitFor();
      expect(await page.getByText('Nobody checked that name').count()).toBe(1);
      await page.getByLabel('Send messages').uncheck();
      await page.getByLabel('only these').check();
      await page.getByLabel('bob', { exact: true }).uncheck();
      await page.getByLabel('Until').selectOption('7');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('back in the program').waitFor();
      const code = (await program.answered).searchParams.get('code')!;
      const { body } = await client.redeem(code, verifier, { redirect_uri: program.address });
      expect(body.scope).toBe('messages:read');
      expect(await statusFor(world.url, body.access_token!)).toBe(200);
      expect(complaints.filter((text) => /Content Security Policy/i.test(text))).toEqual([]);
      const { connections } = await rpc.as(person).access.listConnections({});
      expect(connections.find(({ label }) => label === 'a test')).toBeDefined();
    });
  } finally {
    program.close();
    await context.close();
  }
});
