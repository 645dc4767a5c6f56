import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { makeFolder } from '../account/make-folder.ts';
import { readPrivateFile, unsafe } from '../account/private-file.ts';
import type { Alive } from './listen.ts';

/** What a running bridge says of itself, in a file that only its user can write. */
export interface BridgeRecord extends Alive {
  readonly socket: string;
}

/** Replaced in one step: a reader sees the old one or the new one. */
export function writeRecord(file: string, record: BridgeRecord): void {
  makeFolder(dirname(file));
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}

/** Undefined when no bridge was started here, or it was stopped in order. */
export function readRecord(file: string): BridgeRecord | undefined {
  const text = readPrivateFile(file);
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as BridgeRecord;
    if (typeof read.nonce === 'string' && isAbsolute(read.socket)) return read;
  } catch {
    // Answered below: whatever is wrong with it, the remedy is the same.
  }
  throw unsafe(file, 'cannot be understood', 'Remove it, and start the bridge anew: agentworks bridge start');
}

/** Only one's own: a successor may have written its record already. */
export function removeRecord(file: string, nonce: string): void {
  if (readRecord(file)?.nonce === nonce) rmSync(file, { force: true });
}
