// adder: answers what others ask it, until Ctrl-C.
//
//   SERVER=unix:/…/server.sock SECRET=… node --conditions=agentworks-source examples/answer.ts

import { connect } from 'agentworks/client';

const { SERVER = '', SECRET = '' } = process.env;
const works = connect({ address: SERVER, secret: SECRET });

await works.agents.register({ agentName: 'adder', provider: 'script', purpose: 'Adds numbers.' });

const stop = new AbortController();
process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());

// Follows the mailbox across every break: after one it goes on from where it was. A program that must not see a message
// again after its own restart keeps `nextCursor`, and gives it as `after`.
for await (const { messages } of works.watchMailbox('adder', { signal: stop.signal })) {
  if (messages.length === 0) console.log('adder is listening');
  for (const { messageId, replyAddress, body } of messages) {
    const sum = body.split('+').reduce((total, number) => total + Number(number), 0);
    // The id of the question makes the answer one answer, however often this program is started over the same mailbox.
    await works.send({
      agentName: 'adder',
      inboxId: replyAddress,
      body: String(sum),
      inReplyTo: messageId,
      submissionId: `answer-to-${messageId}`,
    });
  }
}
works.close();
