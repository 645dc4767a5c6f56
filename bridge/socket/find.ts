import { request } from 'node:http';
import { dirname } from 'node:path';
import { checkPrivateFolder, checkPrivateSocket } from '../account/private-file.ts';
import type { Alive } from './listen.ts';
import { type BridgeRecord, readRecord } from './record.ts';
import type { Where } from './where.ts';

/** A bridge that hangs is no bridge. */
const ANSWER_MS = 3_000;

/**
 * The bridge that runs for this config; undefined when none does. A process number alone proves nothing: it answers on
 * a socket that is ours alone, and says the nonce that only we could have written down.
 */
export async function findBridge(where: Where): Promise<BridgeRecord | undefined> {
  const record = readRecord(where.record);
  if (record === undefined) return undefined;
  try {
    checkPrivateFolder(dirname(record.socket));
    checkPrivateSocket(record.socket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const alive = await ask(record.socket);
  return alive?.nonce === record.nonce ? record : undefined;
}

function ask(socket: string): Promise<Alive | undefined> {
  return new Promise((done) => {
    const asked = request({ socketPath: socket, path: '/alive', agent: false, timeout: ANSWER_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => void (text += chunk));
      response.on('end', () => done(parse(text)));
      response.on('error', () => done(undefined));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(undefined));
    asked.on('close', () => done(undefined));
    asked.end();
  });
}

function parse(text: string): Alive | undefined {
  try {
    return JSON.parse(text) as Alive;
  } catch {
    return undefined;
  }
}
