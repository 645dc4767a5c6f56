/** What a person must know of versions that differ, and which to update first; empty when all is well. */
export function versionTrouble({ ours, bridge, server }: Versions): string {
  if (ours !== bridge)
    return `The bridge is ${bridge}, and this is ${ours}. Run the installed one: agentworks bridge restart`;
  if (server === '' || server === bridge) return '';
  if (isOlder(server, bridge))
    return `The bridge is ${bridge}, and the server is older, ${server}. Update the server first; what it does not know is not used until then.`;
  return `The bridge is ${bridge}, and the server is newer, ${server}. Update this one: npm install -g agentworks, then agentworks bridge restart`;
}

interface Versions {
  /** Of the command line. */
  readonly ours: string;
  readonly bridge: string;
  /** Empty until a server was reached. */
  readonly server: string;
}

function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number)) as [number[], number[]];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at]! < (b[at] ?? 0);
}
