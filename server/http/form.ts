import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';
import type { SiteRequest } from './site.ts';

const MOST_BYTES = 16 * 1024;

/** What a form of ours was filled in with. */
export async function readForm(request: SiteRequest): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES)
      throw new Problem(Reason.LIMIT_EXCEEDED, `a form is at most ${MOST_BYTES} bytes; ask for the page again`, {
        subject: 'form',
        bound: MOST_BYTES,
      });
    chunks.push(chunk as Buffer);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
