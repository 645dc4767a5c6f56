import { open } from 'node:fs/promises';
import { Refusal } from '../bridge/client/index.ts';
import { Usage } from './command.ts';
import type { Io } from './context.ts';

/** As the API publishes it. The server counts; this only ends a read that could not lead anywhere. */
const BODY_BYTES = 256 * 1024;
const READ_BYTES = 3 * 1024 * 1024;

/** The text of `--input`: a file, or `-` for stdin. Exactly what stands there, the last line break too. */
export async function readInput(io: Io, path: string): Promise<string> {
  if (path === '-') {
    if (io.stdin === undefined) throw new Usage('--input - reads from stdin, and there is none.');
    return decode(io.stdin);
  }
  try {
    await using file = await open(path);
    return await decode(file.createReadStream());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof Refusal) throw error;
    throw new Usage(`--input ${path} cannot be read (${code}).`);
  }
}

async function decode(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > READ_BYTES) {
      const sentence = `The input is over ${bytes} bytes, and a message holds ${BODY_BYTES}. Put large content in a file and send its path.`;
      throw new Refusal('LIMIT_EXCEEDED', sentence, { subject: 'body', bound: BODY_BYTES });
    }
    parts.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new Refusal('BAD_FIELD', 'The input is not UTF-8 text. Put it in a file and send its path.', {
      subject: 'body',
    });
  }
}
