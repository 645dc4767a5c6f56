import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { bridgeEntry, nodeFlags } from '../../bridge/socket/start.ts';
import type { Where } from '../../bridge/socket/where.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How the computer's own manager of services is told to keep a bridge running from sign-in on. */
export interface Service {
  readonly file: string;
  readonly text: string;
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  /** Once the file is gone. */
  readonly after: readonly (readonly string[])[];
}

/** What decides where a bridge keeps its things, and what the manager does not set itself. */
const kept = ['XDG_STATE_HOME', 'AGENTWORKS_KEYRING', 'CLAUDE_CONFIG_DIR'];

/** Undefined where we know no such manager. */
export function serviceOf(where: Where, env: Env, platform: string = process.platform): Service | undefined {
  const settings = [
    ['AGENTWORKS_CONFIG', where.config] as const,
    ...kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])),
  ];
  const start = [process.execPath, ...nodeFlags, bridgeEntry()];
  const key = basename(where.folder);
  const home = env['HOME'] ?? homedir();
  if (platform === 'linux') return systemd({ where, settings, start, key, home, config: env['XDG_CONFIG_HOME'] });
  return platform === 'darwin' ? launchd({ where, settings, start, key, home }) : undefined;
}

interface Parts {
  readonly where: Where;
  readonly settings: readonly (readonly [string, string])[];
  readonly start: readonly string[];
  readonly key: string;
  readonly home: string;
  readonly config?: string | undefined;
}

function systemd({ where, settings, start, key, home, config }: Parts): Service {
  const unit = `agentworks-bridge-${key}.service`;
  const text = `# Written by \`agentworks bridge enable\`.
[Unit]
Description=AgentWorks bridge

[Service]
Type=exec
ExecStart=${start.map((word) => forSystemd(word).replaceAll('$', '$$$$')).join(' ')}
${settings.map(([name, value]) => `Environment=${forSystemd(`${name}=${value}`)}`).join('\n')}
StandardOutput=append:${where.log.replaceAll('%', '%%')}
StandardError=append:${where.log.replaceAll('%', '%%')}
UMask=0077
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`;
  return {
    file: join(config ?? join(home, '.config'), 'systemd', 'user', unit),
    text,
    enable: [systemctl('daemon-reload'), systemctl('enable', '--now', unit)],
    disable: [systemctl('disable', '--now', unit)],
    after: [systemctl('daemon-reload')],
  };
}

const systemctl = (...args: string[]) => ['systemctl', '--user', ...args];

const forSystemd = (text: string): string =>
  `"${text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')}"`;

function launchd({ where, settings, start, key, home }: Parts): Service {
  const label = `agentworks.bridge.${key}`;
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key>${string(label)}
<key>ProgramArguments</key><array>${start.map(string).join('')}</array>
<key>EnvironmentVariables</key><dict>${settings.map(([name, value]) => `<key>${name}</key>${string(value)}`).join('')}</dict>
<key>StandardOutPath</key>${string(where.log)}
<key>StandardErrorPath</key>${string(where.log)}
<key>Umask</key><integer>63</integer>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`;
  return {
    file,
    text,
    enable: [['launchctl', 'bootstrap', domain, file]],
    disable: [['launchctl', 'bootout', `${domain}/${label}`]],
    after: [],
  };
}

const string = (text: string): string =>
  `<string>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
