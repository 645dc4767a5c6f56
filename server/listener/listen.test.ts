import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import * as http2 from 'node:http2';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Keepalive } from './keepalive.ts';
import { listen, type Listener } from './listen.ts';

const opened: Listener[] = [];
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of opened.splice(0)) await listener.close(0);
});

async function listening(serve = true): Promise<Listener> {
  const listener = await listen({ address: { host: '127.0.0.1', port: 0 }, tls: undefined });
  opened.push(listener);
  if (serve) listener.serve((request, response) => void response.end(`HTTP/${request.httpVersion}`));
  return listener;
}

function dial(listener: Listener): net.Socket {
  const socket = net.connect(listener.port, '127.0.0.1');
  sockets.push(socket);
  return socket;
}

async function heard(socket: net.Socket): Promise<string> {
  let all = '';
  for await (const chunk of socket) all += String(chunk);
  return all;
}

function askH2(listener: Listener, options?: http2.SecureClientSessionOptions): Promise<string> {
  return new Promise((done, failed) => {
    const session = http2.connect(listener.url, options).on('error', failed);
    const stream = session.request({ ':path': '/' });
    let all = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => (all += chunk));
    stream.on('end', () => {
      session.close();
      done(all);
    });
    stream.on('error', failed);
  });
}

const unset = () => {};

/** Its first letter is that of HTTP/2 too. */
const POST = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

test('one port speaks HTTP/1.1 and HTTP/2', async () => {
  const listener = await listening();
  const answer = await fetch(listener.url);
  expect(await answer.text()).toBe('HTTP/1.1');
  expect(await askH2(listener)).toBe('HTTP/2.0');
});

test('the protocol is recognised however slowly its first bytes come', async () => {
  const listener = await listening();
  const socket = dial(listener);
  socket.setNoDelay(true);
  for (const letter of POST) {
    socket.write(letter);
    await new Promise((next) => setImmediate(next));
  }
  expect(await heard(socket)).toContain('HTTP/1.1 200 OK');

  const slow = await askH2(listener, {
    createConnection: () => {
      const inner = dial(listener);
      const write = inner.write.bind(inner);
      let isFirst = true;
      // The preface goes out in single bytes, the rest as it is.
      inner.write = (chunk: Uint8Array | string, ...rest: never[]) => {
        if (!isFirst) return write(chunk, ...rest);
        isFirst = false;
        for (const byte of Buffer.from(chunk)) write(Buffer.of(byte));
        return true;
      };
      return inner;
    },
  });
  expect(slow).toBe('HTTP/2.0');
});

test('a request whose first letters are those of HTTP/2 is still one of HTTP/1.1', async () => {
  const listener = await listening();
  const socket = dial(listener);
  socket.write('PRI /x HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await heard(socket)).toContain('HTTP/1.1 400');
});

test('what is asked before the server is ready is answered when it is', async () => {
  const listener = await listening(false);
  const answer = fetch(listener.url);
  await once(dial(listener), 'connect');
  listener.serve((_request, response) => void response.end('ready'));
  expect(await (await answer).text()).toBe('ready');
});

test('a port that is taken is refused with what to do', async () => {
  const { port } = await listening();
  await expect(listen({ address: { host: '127.0.0.1', port }, tls: undefined })).rejects.toThrow(
    `127.0.0.1:${port} is in use by another program, perhaps another agentworks server; stop it, or set AGENTWORKS_ADDRESS`,
  );
});

test('closing lets an answer finish and takes nothing new', async () => {
  const listener = await listening(false);
  let finish: () => void = unset;
  listener.serve((_request, given) => {
    const response = given as ServerResponse;
    response.writeHead(200);
    response.write('begun, ');
    finish = () => void response.end('finished');
  });
  const answer = await fetch(listener.url);
  const idle = dial(listener);
  await once(idle, 'connect');
  const closed = listener.close(60_000);
  await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
  await once(idle, 'close');
  finish();
  expect(await answer.text()).toBe('begun, finished');
  await closed;
});

test('closing cuts what does not finish in time', async () => {
  const listener = await listening(false);
  listener.serve((_request, response) => void (response as ServerResponse).write('never done'));
  const answer = await fetch(listener.url);
  await listener.close(10);
  await expect(answer.text()).rejects.toThrow('terminated');
});

test('a session that stops answering pings is ended, one that answers is not', async () => {
  const keepalive = new Keepalive(50);
  const server = http2.createServer();
  server.on('session', (session) => keepalive.watch(session));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as net.AddressInfo;
  const alive = http2.connect(`http://127.0.0.1:${port}`);
  await once(alive, 'remoteSettings');
  const dead = net.connect(port, '127.0.0.1');
  // A preface and empty settings, and not a word after: as a client whose network is gone.
  dead.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1');
  dead.resume();
  await once(dead, 'close');
  await sleep(150);
  expect(alive.closed || alive.destroyed).toBe(false);
  alive.close();
  keepalive.close();
  server.close();
});
