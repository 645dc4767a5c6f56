// asker: asks adder, and waits for its answer in that one conversation.
//
//   SERVER=unix:/…/server.sock SECRET=… node --conditions=agentworks-source examples/ask.ts

import assert from 'node:assert/strict';
import { connect, Refusal, Wake } from 'agentworks/client';

const { SERVER = '', SECRET = '' } = process.env;
const works = connect({ address: SERVER, secret: SECRET });

await works.agents.register({ agentName: 'asker', provider: 'script' });

// Answered when it is on disk. The same submission id is the same message, however often it is sent.
const question = { agentName: 'asker', target: 'agent:adder', body: '2 + 3', submissionId: `sum-${process.pid}` };
const { inboxId, messageId, recipients } = await works.send(question);
// A script is in no session that could be woken: it reads its mailbox, or watches it.
assert.equal(recipients[0]?.wake, Wake.MAILBOX_ONLY);
const again = await works.send(question);
assert.equal(again.messageId, messageId);

// `inboxId` is asker's side of this conversation: other conversations do not come in here.
for await (const { messages } of works.watchInbox(inboxId, { signal: AbortSignal.timeout(20_000) })) {
  const [answer] = messages;
  if (answer === undefined) continue;
  assert.deepEqual([answer.fromAgent, answer.body, answer.inReplyTo], ['adder', '5', messageId]);
  console.log(`${answer.fromAgent} says ${answer.body}`);
  break;
}

// Every failure is a Refusal: a reason to branch on, a sentence to show, and often what was meant.
const refusal = await works
  .send({ ...question, target: 'agent:ader', submissionId: '' })
  .catch((error: unknown) => error);
assert(refusal instanceof Refusal);
assert.equal(refusal.reason, 'NOT_FOUND');
assert.deepEqual(refusal.suggestions, ['adder']);

works.close();
