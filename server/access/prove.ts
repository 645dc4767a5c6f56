import { timingSafeEqual } from 'node:crypto';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { Problem } from '../core/problem.ts';
import { hashSecret } from '../core/secret.ts';
import type { Peer } from './peer.ts';

/** Whoever can read the login key in the data folder, on this computer, owns every account of this server (ACC-1). */
export function proveOwner(loginKey: string, said: { readonly loginKey: string; readonly peer: Peer }): void {
  if (said.peer === 'elsewhere')
    throw new Problem(
      Reason.NOT_ALLOWED,
      'the login key is accepted only on the computer where the server runs; sign in there, over its own socket',
      { subject: 'login_key' },
    );
  if (!isSame(said.loginKey, loginKey))
    throw new Problem(
      Reason.SIGNED_OUT,
      'that is not the login key of this server; sign in as the user who started it, or say which data folder with AGENTWORKS_DATA',
      { subject: 'login_key' },
    );
}

/** In constant time, whatever the lengths. */
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b)));
