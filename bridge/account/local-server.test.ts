import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataFolder, findLocalServer, readLoginKey } from './local-server.ts';
import { addressOf } from './open.ts';

let root: string;
let data: string;
let socket: string;
let listener: Server;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'agentworks-local-'));
  data = join(root, 'data');
  mkdirSync(data, { mode: 0o700 });
  socket = join(data, 'socket');
  listener = createServer();
  await new Promise<void>((done) => listener.listen(socket, done));
  chmodSync(socket, 0o600);
  announce({ version: '0.1.0', pid: 1, epoch: 'epo_1', url: 'http://127.0.0.1:7717', socket });
});

afterEach(async () => {
  await new Promise((done) => listener.close(done));
  rmSync(root, { recursive: true, force: true });
});

const announce = (server: object) => writeFileSync(join(data, 'server.json'), JSON.stringify(server), { mode: 0o600 });

test('a server that is ours alone is found by its folder', () => {
  expect(findLocalServer(data)).toMatchObject({ socket, epoch: 'epo_1' });
});

test('no server, and a folder that is not there, say how to start one', () => {
  rmSync(join(data, 'server.json'));
  expect(() => findLocalServer(data)).toThrow(/agentworks server/);
  expect(() => findLocalServer(join(root, 'nowhere'))).toThrow(/agentworks server/);
});

test('a socket that is gone is a server that is not running', () => {
  announce({ version: '0.1.0', pid: 1, epoch: 'epo_1', url: '', socket: join(data, 'gone') });
  expect(() => findLocalServer(data)).toThrow(/No server is running/);
});

test.each([0o750, 0o705, 0o777])('a data folder with mode %o is refused, and the refusal says what to run', (bits) => {
  chmodSync(data, bits);
  expect(() => findLocalServer(data)).toThrow(`chmod 700 ${data}`);
  expect(() => readLoginKey(data)).toThrow(/chmod 700/);
});

test('a data folder that is a link is refused', () => {
  const link = join(root, 'link');
  symlinkSync(data, link);
  expect(() => findLocalServer(link)).toThrow(/not a link/);
});

test('ACC-1b a socket open to others is refused', () => {
  chmodSync(socket, 0o666);
  expect(() => findLocalServer(data)).toThrow(/open to others/);
});

test('what is no socket, or a link to one, is refused', () => {
  const file = join(data, 'file');
  writeFileSync(file, '', { mode: 0o600 });
  announce({ version: '0.1.0', pid: 1, epoch: 'epo_1', url: '', socket: file });
  expect(() => findLocalServer(data)).toThrow(/not a socket/);
  const link = join(data, 'link');
  symlinkSync(socket, link);
  announce({ version: '0.1.0', pid: 1, epoch: 'epo_1', url: '', socket: link });
  expect(() => findLocalServer(data)).toThrow(/not a socket/);
});

test('a socket in a folder that is open to others is refused', async () => {
  const open = join(root, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const squatter = createServer();
  await new Promise<void>((done) => squatter.listen(join(open, 's'), done));
  chmodSync(join(open, 's'), 0o600);
  announce({ version: '0.1.0', pid: 1, epoch: 'epo_1', url: '', socket: join(open, 's') });
  expect(() => findLocalServer(data)).toThrow(/open to others/);
  await new Promise((done) => squatter.close(done));
});

test.each(['{', '[]', '{"epoch":"e"}', '{"epoch":"e","socket":"relative"}', 'null'])(
  'server.json saying %s is refused',
  (text) => {
    writeFileSync(join(data, 'server.json'), text, { mode: 0o600 });
    expect(() => findLocalServer(data)).toThrow(/cannot be understood/);
  },
);

test('ACC-9a the folder recorded with a sign-in decides where its secret goes; the environment has no say', () => {
  expect(addressOf({ server: 'local', data })).toBe(`unix:${socket}`);
  expect(addressOf({ server: 'https://team.example' })).toBe('https://team.example');
});

test('OPS-1a.1 the data folder is AGENTWORKS_DATA, else the usual place', () => {
  expect(dataFolder({ AGENTWORKS_DATA: '/srv/aw', XDG_DATA_HOME: '/xdg' })).toBe('/srv/aw');
  expect(dataFolder({ XDG_DATA_HOME: '/xdg' })).toBe('/xdg/agentworks');
  expect(dataFolder({ HOME: '/home/me' })).toBe('/home/me/.local/share/agentworks');
});
