/** Where the authorization server answers. Clients learn these from its metadata. */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/keys',
  device_authorization: '/oauth/device/start',
  code_verification: '/oauth/device',
  interaction: '/oauth/question',
} as const;
