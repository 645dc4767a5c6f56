import { actions, answers, reads, text, type Tool } from './tool.ts';

/** What there is to read about, a few lines each: no client shows a manual. */
export const topics = {
  start:
    'Register a name once: messages action=register agent_name=NAME. Whom you can write to: messages_read action=list_agents. Write: messages action=send target=agent:OTHER body=… agent_name=NAME. Read: messages_read action=read agent_name=NAME after=CURSOR wait_seconds=25, again and again with the next_cursor of each answer.',
  messages:
    'A message is on disk before send answers. It asks for nothing: the other side may acknowledge, ask, answer later or stay silent. A send to a target opens a new conversation; to go on in one, send with inbox_id, which is the inbox_id that your send answered, or the reply_address of a message you read. Reading consumes nothing. The same submission_id never stores a message twice.',
  receipts:
    'recipients of a send says whether the other side is woken, and messages_read action=receipts message_id=… what became of it since: stored, admitted (its agent has it), processed (its agent acted on it), and where it stands still and why. A name that nobody attached stays at stored: it has to read its mailbox.',
  names:
    'A name is an address of the account: ASCII letters, digits, ".", "_", "-". It stays until it is unregistered; registered again later it is a new identity. Which connections may use it: allowed_connection_ids. Your own connection id: help action=context. Sessions are attached to a name by the person, in the chat or in a terminal; no tool attaches.',
  limits:
    'A body holds 256 KiB, metadata 16 KiB, a page 100 items and about 24 kB of text, a wait 25 seconds. A refusal names its reason, the field, the bound and what to do next.',
  questions:
    'A call that needs a person says so in pending_inputs of its status. Clients that can show a form are asked with it; a form that is declined, cancelled or left alone is no answer, and the question goes on waiting. Every other client answers with functions action=reply. Passwords and one-time codes are never asked for in a form.',
} as const;

/** Who the caller is here, and how the rest is used. */
export const help: Tool = {
  name: 'help',
  title: 'About this connection and these tools',
  description: `context: the account, the public id of this connection (to be allowed by others; no secret) and its kind. topics: one of ${Object.keys(topics).join(', ')}, or all their names when topic is absent.`,
  inputSchema: actions(['context', 'topics'], {
    topic: text(`topics: ${Object.keys(topics).join(', ')}.`),
  }),
  outputSchema: answers({
    account_name: text('context: the account.'),
    connection_id: text('context: the public id of this connection.'),
    topics: { type: 'array', items: { type: 'string' }, description: 'topics: what there is to read about.' },
    text: text('topics: what there is to know.'),
  }),
  annotations: { title: 'About this connection and these tools', ...reads },
};
