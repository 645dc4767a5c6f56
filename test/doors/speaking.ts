import type { Hands } from './door.ts';

/** A scene says who speaks once: a send or a read that names nobody is then that agent's own. */
export const speakingAs = (name: string | undefined, hands: Hands): Hands =>
  name === undefined
    ? hands
    : {
        ...hands,
        messages: {
          ...hands.messages,
          send: (input) => hands.messages.send(input.inboxId === undefined ? { agentName: name, ...input } : input),
          read: (input) => hands.messages.read(input.inboxId === undefined ? { agentName: name, ...input } : input),
          watchMailbox: (input) => hands.messages.watchMailbox({ agentName: name, ...input }),
        },
      };
