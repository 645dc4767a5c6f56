import { dirname } from 'node:path';

/** What the person types next, word for word. In a clone nothing is on PATH, and npx finds us only inside it. */
export function nextCommand(env: NodeJS.ProcessEnv): string {
  const manifest = env['npm_package_name'] === 'agentworks' ? env['npm_package_json'] : undefined;
  const data = env['AGENTWORKS_DATA'] ? `AGENTWORKS_DATA=${quoted(env['AGENTWORKS_DATA'])} ` : '';
  const command =
    manifest === undefined
      ? `${data}agentworks login`
      : `cd ${quoted(dirname(manifest))} && ${data}npx agentworks login`;
  return `Next, in another terminal:\n\n  ${command}`;
}

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
