import type { ClientMetadata } from 'oidc-provider';

/** Our own command line: the only client that ends in a person's login. Its device page says what that is. */
export const CLI_CLIENT_ID = 'agentworks-cli';

export const cliClient: ClientMetadata = {
  client_id: CLI_CLIENT_ID,
  client_name: 'agentworks on the command line',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
  response_types: [],
  redirect_uris: [],
};
