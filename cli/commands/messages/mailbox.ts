import { Usage } from '../../command.ts';
import { text } from '../../options.ts';

export const mailboxOptions = {
  agent: text('NAME', "An agent's mailbox: all its conversations"),
  inbox: text('ID', 'One side of one conversation'),
} as const;

/** Neither is a child connection's own mailbox, and for everybody else the server's to refuse. */
export function checkOneMailbox({ agent, inbox }: { agent: string | undefined; inbox: string | undefined }): void {
  if (agent !== undefined && inbox !== undefined) throw new Usage('Give --agent or --inbox, not both.');
}
