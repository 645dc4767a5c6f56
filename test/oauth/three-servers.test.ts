import { expect, test } from 'vitest';
import { Browser } from '../world/browser.ts';
import { Router } from '../world/router.ts';
import { inWorld } from '../world/world.ts';
import { OauthClient, signInCode, statusFor } from './client.ts';

test('three servers behind a balancer are one: each step of a flow is another one', async () => {
  await using router = await Router.open();
  await inWorld(
    async (world) => {
      router.servers.push(world.url, (await world.secondNode()).url, (await world.secondNode()).url);
      const person = { ...(await world.person()), server: router.url };
      for (let turn = 0; turn < 4; turn++) {
        const client = await OauthClient.register(router.url);
        const { access_token, refresh_token } = await client.tokens(person);
        for (const server of router.servers) expect(await statusFor(server, access_token)).toBe(200);
        const all = await Promise.all(Array.from({ length: 8 }, () => client.refresh(refresh_token)));
        for (const { status, body } of all) {
          expect(status).toBe(200);
          expect(await statusFor(router.url, body.access_token!)).toBe(200);
        }
        await client.revoke(refresh_token);
        for (const server of router.servers)
          for (const { body } of all) expect(await statusFor(server, body.access_token!)).toBe(401);
      }
    },
    { AGENTWORKS_PUBLIC_URL: router.url },
  );
});

test('a question that one server asked is answered after that server is gone', async () => {
  await using router = await Router.open();
  await inWorld(
    async (world) => {
      router.servers.push(world.url);
      const person = await world.person();
      const client = await OauthClient.register(router.url);
      const { url, verifier } = client.request();
      const browser = new Browser(router.url);
      const asked = await browser.send(await browser.open(url), { code: await signInCode(person) });
      await world.restart();
      const { left } = await browser.send(asked, { answer: 'allow' });
      expect((await client.redeem(left!.searchParams.get('code')!, verifier)).status).toBe(200);
    },
    { AGENTWORKS_PUBLIC_URL: router.url },
  );
});
