import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript, openBrowser, type Served, servePage } from '../../scripts/trial/page.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld, type World } from '../world/world.ts';
import type { Protocol } from './chromium-page.ts';

/** What the page script and `startWatch` put there. */
declare global {
  var scene: typeof import('./chromium-page.ts').scene;
  var began: () => void;
}

const HOST_OF_ANOTHER = 'rebound.example';
let browser: Browser;
let listed: Served;
let foreign: Served;

beforeAll(async () => {
  const html = `<!doctype html><title>page</title>${await bundleScript(`import './test/e2e/chromium-page.ts'`, '.')}`;
  [browser, listed, foreign] = await Promise.all([
    openBrowser(`--host-resolver-rules=MAP ${HOST_OF_ANOTHER} 127.0.0.1`),
    servePage(html),
    servePage(html),
  ]);
});

afterAll(async () => {
  listed.close();
  foreign.close();
  await browser.close();
});

/** A world that lets the listed page in, and a page in the browser. */
const withPage = (origin: () => string, run: (world: World, page: Page) => Promise<void>) => async () => {
  const page = await browser.newPage();
  await page.goto(origin());
  try {
    await inWorld((world) => run(world, page), { AGENTWORKS_ALLOWED_ORIGINS: listed.origin });
  } finally {
    await page.close();
  }
};
const onListed = (run: (world: World, page: Page) => Promise<void>) => withPage(() => listed.origin, run);
const onForeign = (run: (world: World, page: Page) => Promise<void>) => withPage(() => foreign.origin, run);

const callOf = (protocol: Protocol, world: World, { secret }: { readonly secret: string | undefined }) => ({
  protocol,
  baseUrl: world.url,
  secret: secret ?? '',
});

/** Starts to follow a mailbox in the page; resolves when the watch began. */
async function startWatch(page: Page, call: ReturnType<typeof callOf>, agentName: string, count: number) {
  const began = Promise.withResolvers<void>();
  await page.exposeFunction('began', began.resolve);
  const ended = page.evaluate(([to, name, most]) => globalThis.scene.watch(to, name, most, globalThis.began), [
    call,
    agentName,
    count,
  ] as const);
  await began.promise;
  return { ended };
}

describe.each(['connect', 'connect-json', 'grpc-web'] as const)('a page in Chromium, by %s', (protocol) => {
  test(
    'sends, and is pushed what arrives',
    onListed(async (world, page) => {
      const [alice, bob] = [await world.agent('alice'), await world.agent('bob')];
      const watch = await startWatch(page, callOf(protocol, world, bob), 'bob', 2);
      const sent = await page.evaluate(
        (call) => globalThis.scene.send(call, { agentName: 'alice', target: 'agent:bob', body: 'from a page: ✓' }),
        callOf(protocol, world, alice),
      );
      expect(sent).toEqual({ messageId: expect.stringMatching(/^msg_/) });
      await rpc.as(alice).messages.send({ target: 'agent:bob', body: 'from elsewhere' });
      expect(await watch.ended).toEqual({ bodies: ['from a page: ✓', 'from elsewhere'] });
    }),
  );

  test(
    'reads a refusal with its reason',
    onListed(async (world, page) => {
      const alice = await world.agent('alice');
      const refused = await page.evaluate(
        (call) => globalThis.scene.send(call, { agentName: 'alice', target: 'agent:nobody', body: 'x' }),
        callOf(protocol, world, alice),
      );
      expect(refused).toMatchObject({ code: 'NotFound', reason: 'NOT_FOUND' });
    }),
  );

  test(
    'has its stream ended, with the reason, when its connection is revoked',
    onListed(async (world, page) => {
      const [person, bob] = [await world.person(), await world.agent('bob')];
      const watch = await startWatch(page, callOf(protocol, world, bob), 'bob', 1);
      await rpc.as(person).access.revokeConnection({ connectionId: bob.connectionId });
      expect(await watch.ended).toMatchObject({ bodies: [], reason: 'SIGNED_OUT' });
    }),
  );

  test(
    'ACC-7b of an origin that is not listed reads no answer and changes nothing',
    onForeign(async (world, page) => {
      const [alice, bob] = [await world.agent('alice'), await world.agent('bob')];
      const refused = await page.evaluate(
        (call) => globalThis.scene.send(call, { agentName: 'alice', target: 'agent:bob', body: 'x' }),
        callOf(protocol, world, alice),
      );
      expect(refused).toEqual({ code: 'Unknown', reason: undefined, sentence: 'Failed to fetch' });
      expect((await rpc.as(bob).messages.read({ agentName: 'bob' })).messages).toEqual([]);
    }),
  );
});

test(
  'ACC-7c a page that posts blindly, as a form does, changes nothing',
  onForeign(async (world, page) => {
    const bob = await world.agent('bob');
    const url = `${world.url}/agentworks.messages.v1.MessageService/Send`;
    const type = await page.evaluate(([to, body]) => globalThis.scene.blindPost(to, body), [
      url,
      '{"target":"agent:bob","body":"x"}',
    ] as const);
    expect(type).toBe('opaque');
    expect((await rpc.as(bob).messages.read({ agentName: 'bob' })).messages).toEqual([]);
  }),
);

test(
  'ACC-7a a name of somebody else that leads to this server is refused',
  onListed(async (world, page) => {
    const answer = await page.goto(world.url.replace('127.0.0.1', HOST_OF_ANOTHER));
    expect(answer?.status()).toBe(403);
  }),
);
