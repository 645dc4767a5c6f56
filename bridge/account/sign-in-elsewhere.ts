import type { DeviceAuthorizationResponse } from 'openid-client';
import { Refusal } from '../client/refusal.ts';
import { isSecret } from '../client/secret.ts';

/** The name by which servers know the command line. */
const CLIENT_ID = 'agentworks-cli';

/** What the person must do in a browser, on any computer. */
export interface Shown {
  readonly url: string;
  readonly code: string;
}

/** The address of a server elsewhere: an origin, reached by TLS. */
export function serverElsewhere(typed: string): string {
  const url = URL.parse(typed.includes('://') ? typed : `https://${typed}`);
  if (url !== null && url.protocol === 'https:' && url.pathname === '/' && url.search === '') return url.origin;
  const sentence = `${typed} is no server elsewhere; write https://HOST, with :PORT where it has one. The server of this computer needs no --server.`;
  throw new Refusal('BAD_FIELD', sentence, { subject: 'server' });
}

/**
 * Signs in by a code that the person confirms in a browser (OAuth device flow). What comes of it is the secret of a
 * login, like one made on the server's own computer.
 */
export async function signInElsewhere(
  server: string,
  { label, signal, show }: { label: string; signal: AbortSignal; show: (what: Shown) => void },
): Promise<string> {
  // Loaded here, since nothing else needs it.
  const openid = await import('openid-client');
  try {
    const config = await openid.discovery(new URL(server), CLIENT_ID, undefined, openid.None(), {
      algorithm: 'oauth2',
    });
    const started = await openid.initiateDeviceAuthorization(config, { label });
    show({ url: started.verification_uri_complete ?? started.verification_uri, code: started.user_code });
    const { access_token: secret } = await openid.pollDeviceAuthorizationGrant(config, patient(started), undefined, {
      signal,
    });
    if (isSecret(secret)) return secret;
  } catch (error) {
    throw refusalOf(error, server, signal);
  }
  throw new Refusal('INTERNAL', `${server} answered with something that is no secret of ours.`, { subject: 'server' });
}

/** A person needs longer than five seconds anyway, and a program two seconds later is not noticed. */
const patient = (started: DeviceAuthorizationResponse): DeviceAuthorizationResponse => ({
  ...started,
  interval: started.interval ?? 2,
});

function refusalOf(error: unknown, server: string, signal: AbortSignal): Refusal {
  if (signal.aborted) return new Refusal('CANCELED', 'You left before the sign-in was confirmed.');
  const { error: code } = error as { error?: string };
  if (code === 'access_denied')
    return new Refusal('NOT_ALLOWED', 'The sign-in was denied in the browser. Sign in again with: agentworks login');
  if (code === 'expired_token')
    return new Refusal('DEADLINE_EXCEEDED', 'The code has expired. Sign in again with: agentworks login');
  const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
  const why = cause?.code ?? cause?.message ?? (error as Error).message;
  const sentence = `${server} could not be asked to sign you in (${why}). Look at the address, and whether that is an AgentWorks server.`;
  return new Refusal('UNAVAILABLE', sentence, { subject: 'server', isUnsent: true });
}
