import { expect, test } from 'vitest';
import { inWorld } from '../world/world.ts';
import { OauthClient, statusFor } from './client.ts';

test('a person lets a program in, which then calls as a connection of its own', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const client = await OauthClient.register(world.url);
    const tokens = await client.tokens(person);
    expect(tokens).toMatchObject({ scope: 'messages:read messages:send', expires_in: 900 });
    expect(await statusFor(world.url, tokens.access_token)).toBe(200);
    expect(await statusFor(world.url, tokens.access_token.replace(/.$/, 'x'))).toBe(401);
  }));
