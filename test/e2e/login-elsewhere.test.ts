import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide } from '../oauth/client.ts';
import { Browser } from '../world/browser.ts';
import { cleanUp, newFolder, type Served, start } from './server-process.ts';

let server: Served;
let cert: string;

beforeAll(async () => {
  const folder = newFolder();
  const key = join(folder, 'key.pem');
  cert = join(folder, 'cert.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  setDefaultCACertificates([...getCACertificates(), readFileSync(cert, 'utf8')]);
  server = await start({ env: { AGENTWORKS_TLS_CERT: cert, AGENTWORKS_TLS_KEY: key } });
});
afterAll(cleanUp);

/** A computer with its own home and configuration. */
function computer() {
  const home = newFolder();
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    AGENTWORKS_CONFIG: join(home, 'config.json'),
    AGENTWORKS_KEYRING: 'off',
    NODE_EXTRA_CA_CERTS: cert,
    XDG_RUNTIME_DIR: home,
  };
  const run = (argv: readonly string[], more: object = {}) =>
    promisify(execFile)(process.execPath, ['cli/entry.ts', ...argv], { env: { ...env, ...more }, encoding: 'utf8' });
  return { home, env, run };
}

test('ACC-1e a person signs in to a server elsewhere by a code on the screen', async () => {
  // At the server's own computer they sign in by its data folder.
  const desk = computer();
  await desk.run(['login'], { AGENTWORKS_DATA: server.data });
  const { code } = JSON.parse((await desk.run(['sign-in-code', '--json'])).stdout) as { code: string };

  const laptop = computer();
  const login = spawn(process.execPath, ['cli/entry.ts', 'login', '--server', server.url, '--label', 'laptop'], {
    env: laptop.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(login, 'close');
  let said = '';
  let out = '';
  login.stdout.on('data', (text: Buffer) => (out += String(text)));
  const address = new Promise<string>((done) =>
    login.stderr.on('data', (text: Buffer) => {
      said += String(text);
      const url = /Open (https:\S+) and confirm the code \S+-\S+/.exec(said)?.[1];
      if (url !== undefined) done(url);
    }),
  );
  const browser = new Browser(server.url);
  const last = await decide(browser, code, await browser.open(await address), { answer: 'allow' });
  expect(last.html).toContain('You can close this page');
  expect([(await ended)[0], said]).toEqual([0, expect.anything()]);
  expect(out).toContain('account\tlocal');
  expect(out).not.toContain('aw1_');
  const kept = JSON.parse(readFileSync(laptop.env.AGENTWORKS_CONFIG, 'utf8')) as { secret: string; server: string };
  expect(kept.secret).toMatch(/^aw1_/);
  expect(kept.server).toBe(server.url);

  const { stdout } = await laptop.run(['connections', 'list']);
  expect(stdout).toContain('laptop');
  expect((await laptop.run(['login', '--server', server.url])).stderr).toContain('signed in already');
  await laptop.run(['logout']);
  expect(existsSync(laptop.env.AGENTWORKS_CONFIG)).toBe(false);
});

test('a server elsewhere is named by https, and asked before anything is kept', async () => {
  const { run, env } = computer();
  await expect(run(['login', '--server', 'http://agents.example.com'])).rejects.toMatchObject({
    stderr: expect.stringContaining('write https://HOST'),
  });
  await expect(run(['login', '--server', 'https://127.0.0.1:1'])).rejects.toMatchObject({
    stderr: expect.stringContaining('could not be asked'),
  });
  expect(existsSync(env.AGENTWORKS_CONFIG)).toBe(false);
});
