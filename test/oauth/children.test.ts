import { expect, test } from 'vitest';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { OauthClient, statusFor } from './client.ts';

test('a client gets a connection for a part of itself, which may less than it and never more', () =>
  inWorld(async (world) => {
    const client = await OauthClient.register(world.url);
    const parent = await client.tokens(await world.person());
    const child = await client.exchange(parent.access_token, 'messages:read');
    expect(child).toMatchObject({ status: 200, body: { scope: 'messages:read', token_type: 'Bearer' } });
    expect(await statusFor(world.url, child.body.access_token!)).toBe(200);
    expect(await client.exchange(parent.access_token, 'messages:read authoring')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    expect(await client.exchange(child.body.access_token!, 'messages:read')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    const other = await OauthClient.register(world.url);
    expect(await other.exchange(parent.access_token, 'messages:read')).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  }));

test('children refresh by themselves, and end with their parent on every server before it is answered', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const second = await world.secondNode();
    const client = await OauthClient.register(world.url);
    const parent = await client.tokens(person);
    const { body: child } = await client.exchange(parent.access_token, 'messages:read');
    const { body: refreshed } = await client.refresh(child.refresh_token!);
    expect(await statusFor(second.url, refreshed.access_token!)).toBe(200);

    const watcher = { ...world.at(second, person), secret: refreshed.access_token! };
    await using stream = rpc.as(watcher).agents.watchDirectory({});
    await stream.next();

    const { connections } = await rpc.as(person).access.listConnections({});
    const { connectionId } = connections.find(({ label }) => label === 'a test')!;
    const { revokedConnectionIds } = await rpc.as(person).access.revokeConnection({ connectionId });
    expect(revokedConnectionIds).toHaveLength(2);
    expect(await statusFor(second.url, refreshed.access_token!)).toBe(401);
    expect(await statusFor(world.url, parent.access_token)).toBe(401);
    expect(await client.refresh(refreshed.refresh_token!)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect((await stream.ended()).refusal.reason).toBe('SIGNED_OUT');
  }));
