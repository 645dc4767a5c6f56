import { defaultScopes } from './scopes.ts';

/** What clients mean when they ask for access here: the MCP endpoint, as it is written everywhere, without a slash. */
export const resourceOf = (publicUrl: string): string => `${publicUrl}/mcp`;

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Found below the root and below the resource's own path: clients look at either (RFC 9728). */
export const metadataPaths = [METADATA_PATH, `${METADATA_PATH}/mcp`] as const;

export const protectedResource = (publicUrl: string) => ({
  resource: resourceOf(publicUrl),
  resource_name: 'AgentWorks',
  authorization_servers: [publicUrl],
  bearer_methods_supported: ['header'],
  // The least: a client asks for what stands here, and for more when it is told that it needs more.
  scopes_supported: defaultScopes,
});

/** For WWW-Authenticate: where a client without a good token learns how to get one, and what it needs. */
export function challenge(
  publicUrl: string,
  refusal: { readonly error?: 'invalid_token' | 'insufficient_scope'; readonly scopes?: readonly string[] } = {},
): string {
  const { error, scopes = defaultScopes } = refusal;
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `scope="${scopes.join(' ')}"`,
    `resource_metadata="${publicUrl}${METADATA_PATH}/mcp"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
