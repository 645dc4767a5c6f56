// The same two RPCs on grpc-js over one file, appended and flushed: about the least that durable gRPC costs in Node.
import { open } from 'node:fs/promises';
import { fromBinary, toBinary, create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import {
  type SendRequest,
  SendRequestSchema,
  type SendResponse,
  SendResponseSchema,
  type WatchMailboxRequest,
  WatchMailboxRequestSchema,
  type WatchMailboxResponse,
  WatchMailboxResponseSchema,
} from '#gen/agentworks/messages/v1/messages_pb.ts';
import { batched, Followers } from './batch.ts';

const file = await open(process.env['FILE']!, 'a');
const store = batched<string>(async (batch) => {
  await file.write(batch.join('\n'));
  await file.datasync();
}, 1);
const followers = new Followers();

async function keep({ target, submissionId, body }: SendRequest): Promise<SendResponse> {
  await store(JSON.stringify([target, submissionId, body]));
  followers.tell(target, body);
  return create(SendResponseSchema, { messageId: submissionId });
}

const reads =
  <D extends DescMessage>(schema: D) =>
  (bytes: Buffer) =>
    fromBinary(schema, bytes);
const writes =
  <D extends DescMessage>(schema: D) =>
  (message: MessageShape<D>) =>
    Buffer.from(toBinary(schema, message));
const method = (name: string, request: DescMessage, response: DescMessage, responseStream: boolean) => ({
  path: `/agentworks.messages.v1.MessageService/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: writes(request),
  requestDeserialize: reads(request),
  responseSerialize: writes(response),
  responseDeserialize: reads(response),
});

const server = new grpc.Server();
server.addService(
  {
    send: method('Send', SendRequestSchema, SendResponseSchema, false),
    watchMailbox: method('WatchMailbox', WatchMailboxRequestSchema, WatchMailboxResponseSchema, true),
  },
  {
    send: ({ request }: { request: SendRequest }, answer: grpc.sendUnaryData<SendResponse>) =>
      void keep(request).then((response) => answer(null, response), answer),
    watchMailbox: (call: grpc.ServerWritableStream<WatchMailboxRequest, WatchMailboxResponse>) => {
      const leave = followers.add(`agent:${call.request.agentName}`, (body) => {
        call.write(create(WatchMailboxResponseSchema, { messages: [{ body }] }));
      });
      call.on('cancelled', leave);
      call.write(create(WatchMailboxResponseSchema));
    },
  },
);
server.bindAsync(`127.0.0.1:${process.env['PORT']}`, grpc.ServerCredentials.createInsecure(), () => {});
