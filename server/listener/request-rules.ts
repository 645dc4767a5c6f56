import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { TLSSocket } from 'node:tls';
import { Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { isLoopback, isWildcard } from '../core/address.ts';
import type { Config } from '../core/config.ts';
import { Problem } from '../core/problem.ts';

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** What of the configuration says whom we listen to. */
export type Rules = Pick<Config, 'address' | 'allowedHosts' | 'allowedOrigins' | 'trustedProxy' | 'publicUrl'>;

/** A refusal, and the HTTP status for protocols that have one. */
export interface Foreign {
  readonly problem: Problem;
  readonly status: number;
}

const foreign = (status: number, subject: string, sentence: string): Foreign => ({
  status,
  problem: new Problem(Reason.FOREIGN_REQUEST, sentence, { subject }),
});

/**
 * Keeps web pages out of a server that their visitor can reach (ACC-7): a page of another site sends its Origin, a name
 * that was turned towards us after the page was loaded comes as a Host that is not ours, and a form can only post types
 * that no RPC has.
 */
export function foreignTo(rules: Rules, request: NodeRequest, types = RPC_TYPES): Foreign | undefined {
  const host = hostOf(request);
  if (host === undefined || !isOurs(rules, request, nameOf(host)))
    return foreign(
      403,
      'host',
      `this server does not answer to the name "${host === undefined ? '' : nameOf(host)}"; add it to AGENTWORKS_ALLOWED_HOSTS`,
    );
  const origin = originOf(request);
  if (origin !== undefined && !isOwnOrigin(rules, request, origin, host) && !isListed(rules, origin))
    return foreign(
      403,
      'origin',
      `pages of ${origin} may not call this server; add the origin to AGENTWORKS_ALLOWED_ORIGINS`,
    );
  return foreignType(request, types);
}

const RPC_TYPES =
  /^application\/(?:json|proto|connect\+(?:json|proto)|grpc(?:-web)?(?:\+(?:json|proto))?)(?: *; *charset="?utf-?8"?)?$/i;

function foreignType(request: NodeRequest, types: RegExp): Foreign | undefined {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return undefined;
  if (request.method !== 'POST')
    return foreign(405, 'method', `${request.method} is not used here; RPCs are called by POST, pages are read by GET`);
  const type = request.headers['content-type'];
  if (type !== undefined && types.test(type)) return undefined;
  return foreign(
    415,
    'content-type',
    `the content type ${type === undefined ? 'is missing' : `"${type}" is not accepted`}; ${types === RPC_TYPES ? "send application/json, application/proto, or one of Connect's or gRPC's" : 'send the type that this path is documented to take'}`,
  );
}

export const isListed = (rules: Rules, origin: string): boolean => rules.allowedOrigins.includes(origin);

/** As HTTP/2 and HTTP/1.1 name it: with the port. */
function hostOf(request: NodeRequest): string | undefined {
  const host = 'authority' in request && request.authority ? request.authority : request.headers.host;
  return host !== undefined && /^(?:\[[0-9a-f:.]+\]|[^:[\]/\\?#@\s]+)(?::\d{1,5})?$/i.test(host)
    ? host.toLowerCase()
    : undefined;
}

export function originOf(request: NodeRequest): string | undefined {
  const { origin } = request.headers;
  return origin?.toLowerCase();
}

const nameOf = (host: string): string => host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

function isOurs({ address, allowedHosts, publicUrl }: Rules, request: NodeRequest, name: string): boolean {
  if (isLoopback(name) || (name === address.host.toLowerCase() && !isWildcard(name))) return true;
  if (allowedHosts.includes(name) || allowedHosts.includes(`[${name}]`)) return true;
  if (publicUrl !== undefined && name === nameOf(new URL(publicUrl).host)) return true;
  // A number cannot be turned towards us: whoever reached us by it meant this computer.
  return name === request.socket.localAddress?.replace(/^::ffff:/i, '');
}

function isOwnOrigin({ trustedProxy, publicUrl }: Rules, request: NodeRequest, origin: string, host: string): boolean {
  if (origin === publicUrl) return true;
  if (request.socket instanceof TLSSocket) return origin === `https://${host}`;
  return origin === `http://${host}` || (trustedProxy && origin === `https://${host}`);
}
