import type { Socket } from 'node:net';

/** The beginning of what an HTTP/2 client sends first. No request of HTTP/1.1 begins with it. */
const PREFACE = Buffer.from('PRI * HTTP/2.0');
const SNIFF_MS = 10_000;

/** Reads until it is sure which protocol a connection speaks, and puts back what it read. However slowly it comes. */
export function sniff(socket: Socket, found: (protocol: 'h1' | 'h2') => void): void {
  let seen = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), SNIFF_MS);
  const leave = () => clearTimeout(timer);
  const look = (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, PREFACE.length);
    const isH2 = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (isH2 && length < PREFACE.length) return;
    leave();
    socket.off('data', look).off('close', leave);
    socket.pause();
    socket.unshift(seen);
    found(isH2 ? 'h2' : 'h1');
    if (!isH2) socket.resume();
  };
  socket.on('data', look).on('close', leave);
}
