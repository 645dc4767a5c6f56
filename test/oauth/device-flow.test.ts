import * as openid from 'openid-client';
import { expect, test } from 'vitest';
import { Browser } from '../world/browser.ts';
import { rpc } from '../doors/rpc.ts';
import { inWorld } from '../world/world.ts';
import { decide, OauthClient, signInCode, statusFor } from './client.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

const discover = (server: string, clientId: string) =>
  openid.discovery(new URL(server), clientId, undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
    algorithm: 'oauth2',
  });

test('a program without a browser shows a code, and the person lets it in elsewhere', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const { clientId } = await OauthClient.register(world.url, {
      grant_types: [DEVICE, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    });
    const config = await discover(world.url, clientId);
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'messages:read' });
    const browser = new Browser(world.url);
    const first = await browser.open(started.verification_uri_complete!);
    expect(first.html).toContain(`value="${started.user_code}"`);
    expect(first.html).toContain('Never continue a code that you did not start');
    const last = await decide(browser, person, first, { answer: 'allow' });
    expect(last.html).toContain('You can close this page');
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.1 });
    expect(tokens).toMatchObject({ scope: 'messages:read', expires_in: 900 });
    expect(await statusFor(world.url, tokens.access_token)).toBe(200);
    const again = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    expect(again.refresh_token).not.toBe(tokens.refresh_token);
  }));

test('ACC-1e the command line is signed in by a code, and gets the secret of a login, once', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const config = await discover(world.url, 'agentworks-cli');
    const started = await openid.initiateDeviceAuthorization(config, { label: 'desk' });
    const browser = new Browser(world.url);
    const confirm = await browser.send(await browser.open(started.verification_uri_complete!));
    expect(confirm.html).toContain('<strong>desk</strong>');
    expect(confirm.html).toContain(started.user_code);
    expect(confirm.html).toContain('Do everything that you may do');
    await decide(browser, person, confirm, { answer: 'allow' });
    const { access_token: secret } = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.1 });
    expect(secret).toMatch(/^aw1_/);
    const { connections } = await rpc.as({ ...person, secret }).access.listConnections({});
    expect(connections.find(({ current }) => current)).toMatchObject({ label: 'desk', kind: 1 });
    const cli = OauthClient.known(world.url, 'agentworks-cli');
    const twice = await cli.token({ grant_type: DEVICE, device_code: started.device_code });
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  }));

test('to deny is one press on each page, and the program is told', () =>
  inWorld(async (world) => {
    const person = await world.person();
    const cli = OauthClient.known(world.url, 'agentworks-cli');
    const config = await discover(world.url, 'agentworks-cli');
    for (const page of ['confirm', 'sign in', 'consent'] as const) {
      const started = await openid.initiateDeviceAuthorization(config, {});
      const browser = new Browser(world.url);
      let seen = await browser.send(await browser.open(started.verification_uri_complete!));
      if (page === 'confirm') seen = await browser.send(seen, { abort: 'yes' });
      else {
        seen = await browser.send(seen, { confirm: 'yes' });
        if (page === 'consent') seen = await browser.send(seen, { code: await signInCode(person) });
        seen = await browser.send(seen, { answer: 'deny' });
      }
      expect(seen.html).toContain('was not let in');
      const polled = await cli.token({ grant_type: DEVICE, device_code: started.device_code });
      expect(polled).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    }
  }));

test('a code that was not shown by us, or was used, is refused by name', () =>
  inWorld(async (world) => {
    const browser = new Browser(world.url);
    const page = await browser.open('/oauth/device');
    const wrong = await browser.send(page, { user_code: 'BCDF-GHJK' });
    expect(wrong.html).toContain('There is no such code');
  }));
