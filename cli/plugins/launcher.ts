/** Names in a shell script, whatever is in them. */
export const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

/**
 * How a host runs us: with the Node that installed the plugin, and under the config it was installed for, whatever the
 * host's own environment says. A Node that was removed since then is looked for on PATH.
 */
export const launcher = (node: string, program: string, config: string): string => `#!/bin/sh
# Written by \`agentworks plugins install\`.
AGENTWORKS_CONFIG=${quoted(config)}
export AGENTWORKS_CONFIG
node=${quoted(node)}
[ -x "$node" ] || node=node
exec "$node" ${quoted(program)} "$@"
`;
