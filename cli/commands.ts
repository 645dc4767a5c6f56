import type { Command } from './command.ts';

export interface Verb {
  readonly summary: string;
  /** The command's file is read only when the command is named. */
  readonly load: () => Promise<Command>;
  /** What stands after it belongs to another program. */
  readonly passesOn?: boolean;
}

export interface Noun {
  readonly summary: string;
  readonly alias?: string;
  /** The verb meant when none is named. */
  readonly usual?: string;
  readonly verbs: Readonly<Record<string, Verb | Noun>>;
}

export const isNoun = (entry: Verb | Noun): entry is Noun => 'verbs' in entry;

/** Every command by the words that name it, in order; a noun stands before its verbs. */
export function* everyEntry(
  entries: Readonly<Record<string, Verb | Noun>> = commands,
  above: readonly string[] = [],
): Generator<readonly [words: readonly string[], entry: Verb | Noun]> {
  for (const [name, entry] of Object.entries(entries)) {
    const words = [...above, name];
    yield [words, entry];
    if (isNoun(entry)) yield* everyEntry(entry.verbs, words);
  }
}

/** Every command, in the order of help and of docs/cli.md. */
export const commands: Readonly<Record<string, Verb | Noun>> = {
  login: {
    summary: 'Sign in on this computer',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    summary: 'Revoke this sign-in and forget it',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  attach: {
    summary: 'Give a live chat of this computer a name that other agents write to',
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  detach: {
    summary: 'End an attachment; its name and its messages stay',
    load: async () => (await import('./commands/detach.ts')).detach,
  },
  claude: {
    summary: 'Start Claude Code as a chat of its own, whatever started this shell',
    load: async () => (await import('./commands/claude.ts')).claude,
    passesOn: true,
  },
  messages: {
    summary: 'Direct messages between agents',
    verbs: {
      register: {
        summary: 'Register a name that your programs are reached by',
        load: async () => (await import('./commands/messages/register.ts')).register,
      },
      unregister: {
        summary: 'Remove a name; its messages stay',
        load: async () => (await import('./commands/messages/unregister.ts')).unregister,
      },
      list: {
        summary: 'List the names that can be written to',
        load: async () => (await import('./commands/agents/list.ts')).list,
      },
      send: {
        summary: 'Send a message; answers when it is on disk',
        load: async () => (await import('./commands/messages/send.ts')).send,
      },
      read: {
        summary: 'Read a mailbox or a conversation; consumes nothing',
        load: async () => (await import('./commands/messages/read.ts')).read,
      },
      watch: {
        summary: 'Print messages as they arrive',
        load: async () => (await import('./commands/messages/watch.ts')).watch,
      },
      search: {
        summary: 'Find words in your messages, newest first',
        load: async () => (await import('./commands/messages/search.ts')).search,
      },
      receipts: {
        summary: 'Say what has become of a message you sent',
        load: async () => (await import('./commands/messages/receipts.ts')).receipts,
      },
      purpose: {
        summary: 'Say what an agent is for',
        load: async () => (await import('./commands/agents/purpose.ts')).purpose,
      },
    },
  },
  agents: {
    summary: 'The directory: who is there, and how each can be reached',
    alias: 'agent',
    usual: 'overview',
    verbs: {
      overview: {
        summary: 'Show the chats attached here and the directory in one; follows them at a terminal',
        load: async () => (await import('./commands/agents/overview.ts')).overview,
      },
      list: {
        summary: 'List the agents of the account',
        load: async () => (await import('./commands/agents/list.ts')).list,
      },
      get: { summary: 'Show one agent', load: async () => (await import('./commands/agents/get.ts')).get },
      watch: {
        summary: 'Print the directory, then each change',
        load: async () => (await import('./commands/agents/watch.ts')).watch,
      },
      purpose: {
        summary: 'Say what an agent is for',
        load: async () => (await import('./commands/agents/purpose.ts')).purpose,
      },
      'reset-wakes': {
        summary: 'Let wakes begin anew after the wake guard refused',
        load: async () => (await import('./commands/agents/reset-wakes.ts')).resetWakes,
      },
    },
  },
  connections: {
    summary: 'The ways in to your account',
    verbs: {
      list: {
        summary: 'List the connections, newest first',
        load: async () => (await import('./commands/connections/list.ts')).list,
      },
      create: {
        summary: 'Make a connection for a program, with a secret of its own',
        load: async () => (await import('./commands/connections/create.ts')).create,
      },
      rename: {
        summary: 'Give a connection another label',
        load: async () => (await import('./commands/connections/rename.ts')).rename,
      },
      narrow: {
        summary: 'Take from what a connection may do, or from whom it may reach',
        load: async () => (await import('./commands/connections/narrow.ts')).narrow,
      },
      revoke: {
        summary: 'End a connection, its children and their open streams at once',
        load: async () => (await import('./commands/connections/revoke.ts')).revoke,
      },
    },
  },
  audit: {
    summary: "What was done to your account's ways in, and what was refused",
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  'sign-in-code': {
    summary: 'Make a code by which a browser signs in as you',
    load: async () => (await import('./commands/sign-in-code.ts')).signInCode,
  },
  accounts: {
    summary: "The server's accounts, for whoever owns its machine",
    verbs: {
      add: { summary: 'Add an account', load: async () => (await import('./commands/accounts/add.ts')).add },
      list: { summary: 'List the accounts', load: async () => (await import('./commands/accounts/list.ts')).list },
    },
  },
  bridge: {
    summary: 'What brings messages into the chats on this computer',
    usual: 'status',
    verbs: {
      start: {
        summary: 'Start it in the background, unless it runs',
        load: async () => (await import('./commands/bridge/start.ts')).start,
      },
      stop: {
        summary: 'End it; attached sessions keep their names and show offline',
        load: async () => (await import('./commands/bridge/stop.ts')).stop,
      },
      restart: {
        summary: 'Stop it and start the installed version',
        load: async () => (await import('./commands/bridge/restart.ts')).restart,
      },
      status: {
        summary: 'Show how it stands, and what is attached',
        load: async () => (await import('./commands/bridge/status.ts')).status,
      },
      logs: {
        summary: 'Print the end of its log',
        load: async () => (await import('./commands/bridge/logs.ts')).logs,
      },
      enable: {
        summary: 'Have it started at every sign-in to this computer, and now',
        load: async () => (await import('./commands/bridge/enable.ts')).enable,
      },
      disable: {
        summary: 'Have it started no more by the system',
        load: async () => (await import('./commands/bridge/disable.ts')).disable,
      },
      message: {
        summary: "The messages of an attached chat, for that chat's own shell",
        verbs: {
          send: {
            summary: 'Begin a conversation with another agent',
            load: async () => (await import('./commands/bridge/message/send.ts')).send,
          },
          read: {
            summary: "Read this chat's mailbox, or one conversation; consumes nothing",
            load: async () => (await import('./commands/bridge/message/read.ts')).read,
          },
          peers: {
            summary: 'List whom this chat may write to, online first',
            load: async () => (await import('./commands/bridge/message/peers.ts')).peers,
          },
          ack: {
            summary: 'Say that this chat has messages, or acted on them',
            load: async () => (await import('./commands/bridge/message/ack.ts')).ack,
          },
          reply: {
            summary: 'Answer in the conversation that a message came in',
            load: async () => (await import('./commands/bridge/message/reply.ts')).reply,
          },
          purpose: {
            summary: 'Say what this chat is for',
            load: async () => (await import('./commands/bridge/message/purpose.ts')).purpose,
          },
        },
      },
    },
  },
  plugins: {
    summary: 'Our plugins in the hosts that have them',
    verbs: {
      install: {
        summary: 'Install the plugin of a host; shows first what will change',
        load: async () => (await import('./commands/plugins/install.ts')).install,
      },
      uninstall: {
        summary: 'Remove it again, without a trace',
        load: async () => (await import('./commands/plugins/uninstall.ts')).uninstall,
      },
      status: {
        summary: 'Show where it is installed',
        load: async () => (await import('./commands/plugins/status.ts')).status,
      },
    },
  },
  mcp: {
    summary: 'Tools for agents, by the Model Context Protocol',
    verbs: {
      serve: {
        summary: "Serve the messaging tools of a host's own chat",
        load: async () => (await import('./commands/mcp/serve.ts')).serve,
      },
    },
  },
  server: {
    summary: 'Run the server',
    load: async () => (await import('./commands/server.ts')).server,
  },
  migrate: {
    summary: 'Bring a PostgreSQL of yours up to this version',
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  doctor: {
    summary: 'Check this computer, its sign-in and its server',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  update: {
    summary: 'Install the newest version, and restart the bridge on it',
    load: async () => (await import('./commands/update.ts')).update,
  },
  token: {
    summary: "Print this sign-in's bearer secret, for scripts and curl",
    load: async () => (await import('./commands/token.ts')).token,
  },
  completion: {
    summary: 'Print a completion script for your shell',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  help: {
    summary: 'Who you are to the server, and other topics',
    verbs: {
      context: {
        summary: 'Your account, connection, config and server; no secret',
        load: async () => (await import('./commands/help/context.ts')).context,
      },
      'exit-codes': {
        summary: 'What each exit code means',
        load: async () => (await import('./commands/help/exit-codes.ts')).exitCodesTopic,
      },
      accessibility: {
        summary: 'Screen readers, colour and motion',
        load: async () => (await import('./commands/help/accessibility.ts')).accessibility,
      },
    },
  },
};
