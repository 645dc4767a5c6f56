// Any gRPC client: here @grpc/grpc-js with the .proto files as they are, no generated code, nothing of ours.
//
//   SERVER=unix:/…/server.sock SECRET=… node examples/grpc.ts

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { SERVER = '', SECRET = '' } = process.env;

const files = ['agentworks/agents/v1/agents.proto', 'agentworks/messages/v1/messages.proto'];
const definition = loadSync(files, { includeDirs: [`${import.meta.dirname}/../proto`], defaults: true, enums: String });
// What is loaded at run time has no types.
const { agents, messages } = grpc.loadPackageDefinition(definition)['agentworks'] as any;

// Plaintext is right on the private Unix socket only; elsewhere: grpc.credentials.createSsl().
const options = { 'grpc.default_authority': 'localhost' };
const agent = new agents.v1.AgentService(SERVER, grpc.credentials.createInsecure(), options);
const message = new messages.v1.MessageService(SERVER, grpc.credentials.createInsecure(), options);

const signed = new grpc.Metadata();
signed.set('authorization', `Bearer ${SECRET}`);
const register = promisify(agent.register).bind(agent);
const send = promisify(message.send).bind(message);

await register({ agentName: 'carol' }, signed);
await register({ agentName: 'dave' }, signed);

const watch = message.watchMailbox({ agentName: 'dave' }, signed);
for await (const batch of watch) {
  // The first response is empty: it says that the watch began.
  if (batch.messages.length === 0)
    await send({ agentName: 'carol', target: 'agent:dave', body: 'Hello from gRPC.' }, signed);
  else {
    const [{ fromAgent, body }] = batch.messages;
    assert.deepEqual([fromAgent, body], ['carol', 'Hello from gRPC.']);
    console.log(`${fromAgent} says ${body}`);
    break;
  }
}
watch.cancel();

// Refusals are gRPC status codes; with each comes an agentworks.common.v1.Problem in grpc-status-details-bin.
const unsigned = send({ target: 'agent:dave', body: 'Hello' }, new grpc.Metadata());
await assert.rejects(unsigned, { code: grpc.status.UNAUTHENTICATED });

// A deadline ends a stream as it ends a call.
const short = message.watchMailbox({ agentName: 'dave' }, signed, { deadline: Date.now() + 300 });
const [ended] = await once(short.resume(), 'error');
assert.equal(ended.code, grpc.status.DEADLINE_EXCEEDED);

agent.close();
message.close();
