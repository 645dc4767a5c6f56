import { expect, test } from 'vitest';
import { beside } from '../world/bare-node.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { OauthClient, statusFor } from './client.ts';

test('ACC-3c eight processes that refresh one token at once all go on working', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const { refresh_token } = await client.tokens(person);
    const all = await Promise.all(Array.from({ length: 8 }, () => client.refresh(refresh_token)));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    for (const { body } of all) {
      expect(await statusFor(world.url, body.access_token!)).toBe(200);
      expect((await client.refresh(body.refresh_token!)).status).toBe(200);
    }
    const { connections } = await rpc.as(person).access.listConnections({});
    expect(connections.filter(({ label }) => label === 'a test')).toHaveLength(1);
  }));

test('ACC-3c a refresh token that comes again after thirty seconds ends the whole connection', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const first = await client.tokens(person);
    const { body: second } = await client.refresh(first.refresh_token);
    world.clock.pass(29_000);
    expect((await client.refresh(first.refresh_token)).status).toBe(200);
    world.clock.pass(2_000);
    expect(await statusFor(world.url, second.access_token!)).toBe(200);
    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await statusFor(world.url, second.access_token!)).toBe(401);
    expect(await client.refresh(second.refresh_token!)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    await expect
      .poll(async () => (await rpc.as(person).access.listAuditEvents({})).events.map(({ kind }) => kind))
      .toEqual(expect.arrayContaining(['token.replayed', 'token.reused', 'connection.granted']));
  }));

test('ACC-3c another client may not use a refresh token, in the first seconds neither', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const thief = await OauthClient.register(world.url);
    const { refresh_token } = await client.tokens(await world.person());
    expect(await thief.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await client.refresh(refresh_token);
    expect(await thief.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await client.refresh(refresh_token)).status).toBe(200);
  }));

test('a client that gives a token back has given up its connection', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    for (const name of ['refresh_token', 'access_token'] as const) {
      const tokens = await client.tokens(person);
      expect((await client.revoke(tokens[name])).status).toBe(200);
      expect(await statusFor(world.url, tokens.access_token)).toBe(401);
      expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
    }
    expect((await client.revoke('nothing we know')).status).toBe(200);
  }));

test("a client cannot give another's token back", () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { access_token, refresh_token } = await client.tokens(await world.person());
    const other = await OauthClient.register(world.url);
    await other.revoke(refresh_token);
    await other.revoke(access_token);
    expect(await statusFor(world.url, access_token)).toBe(200);
  }));

test('a code is good once, and a second use ends what the first one got', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { url, verifier } = client.request();
    const left = await client.allowed(await world.person(), url);
    const code = left.searchParams.get('code')!;
    const first = await client.redeem(code, verifier);
    expect(first.status).toBe(200);
    expect(await client.redeem(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await statusFor(world.url, first.body.access_token!)).toBe(401);
  }));

test('of eight who bring one code at one moment, at most one gets in', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { url, verifier } = client.request();
    const code = (await client.allowed(await world.person(), url)).searchParams.get('code')!;
    const all = await Promise.all(Array.from({ length: 8 }, () => client.redeem(code, verifier)));
    expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  }));

test('ACC-3a no token, code or question stands in the database as it travels', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { url, verifier } = client.request({ state: 'state-of-the-client' });
    const code = (await client.allowed(await world.person(), url)).searchParams.get('code')!;
    const { body } = await client.redeem(code, verifier);
    const again = await client.refresh(body.refresh_token!);
    const rows = JSON.stringify([
      await beside(world.where, 'select * from oauth_item'),
      await beside(world.where, 'select * from connection'),
    ]);
    const secrets = [code, body.access_token, body.refresh_token, again.body.access_token, 'state-of-the-client'];
    for (const secret of secrets) expect(rows).not.toContain(secret);
  }));

test('what a client may is narrowed to what it asks when it refreshes, and never widened', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const { refresh_token } = await client.tokens(await world.person());
    const narrower = await client.refresh(refresh_token, { scope: 'messages:read' });
    expect(narrower).toMatchObject({ status: 200, body: { scope: 'messages:read' } });
    const wider = await client.refresh(narrower.body.refresh_token!, { scope: 'messages:read authoring' });
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  }));
