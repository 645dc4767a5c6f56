import { randomUUID } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  SendRequestSchema,
  WatchMailboxRequestSchema,
  WatchMailboxResponseSchema,
} from '#gen/agentworks/messages/v1/messages_pb.ts';
import { Grpc } from '../grpc.ts';
import { until } from '../processes.ts';
import type { Sender, Started } from '../system.ts';

const SERVICE = '/agentworks.messages.v1.MessageService';

/** The server at `url`, once it answers a first send. */
export async function firstAnswer(url: string, secret?: string): Promise<void> {
  await until(async () => {
    const client = await Grpc.connect(url, secret);
    try {
      await sending(client).send('one', 'first');
    } finally {
      client.close();
    }
  });
}

function sending(client: Grpc): Sender {
  const run = randomUUID().slice(0, 8);
  let count = 0;
  return {
    send: (recipient, body) => {
      const request = { target: `agent:${recipient}`, body, submissionId: `${run}-${count++}` };
      return client.unary(`${SERVICE}/Send`, toBinary(SendRequestSchema, create(SendRequestSchema, request)));
    },
    close: () => client.close(),
  };
}

/** Each call on its own HTTP/2 stream, all on one connection, as one program would. */
export const unary = async (url: string, secret?: string): Promise<Sender> => sending(await Grpc.connect(url, secret));

/** An open WatchMailbox on a connection of its own, as one computer would hold. */
export async function receiver(
  url: string,
  name: string,
  onBody: (body: string) => void,
  secret?: string,
): ReturnType<Started['receiver']> {
  const client = await Grpc.connect(url, secret);
  await new Promise<void>((resolve, reject) => {
    const request = toBinary(WatchMailboxRequestSchema, create(WatchMailboxRequestSchema, { agentName: name }));
    const stream = client.follow(`${SERVICE}/WatchMailbox`, request, (bytes) => {
      resolve();
      for (const { body } of fromBinary(WatchMailboxResponseSchema, bytes).messages) onBody(body);
    });
    stream.on('close', () => reject(new Error(`the stream of ${name} ended before it began`)));
  });
  return { close: () => client.close() };
}
