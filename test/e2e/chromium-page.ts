// Runs in the browser: what a page does with generated code and connect-web, protocol by protocol.
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { ProblemSchema, Reason } from '#gen/agentworks/common/v1/problem_pb.ts';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';

export type Protocol = 'connect' | 'connect-json' | 'grpc-web';

interface Call {
  readonly protocol: Protocol;
  readonly baseUrl: string;
  readonly secret: string;
}

const signed =
  (secret: string): Interceptor =>
  (next) =>
  (request) => {
    request.header.set('authorization', `Bearer ${secret}`);
    return next(request);
  };

function transportOf({ protocol, baseUrl, secret }: Call): Transport {
  const options = { baseUrl, interceptors: [signed(secret)] };
  if (protocol === 'grpc-web') return createGrpcWebTransport(options);
  return createConnectTransport({ ...options, useBinaryFormat: protocol === 'connect' });
}

/** What a refusal says to a page. */
function refusalOf(error: unknown) {
  const { code, details, rawMessage } = ConnectError.from(error);
  const problem = details.length === 0 ? undefined : ConnectError.from(error).findDetails(ProblemSchema)[0];
  return { code: Code[code], reason: problem && nameOf(problem.reason), sentence: problem?.sentence ?? rawMessage };
}

const nameOf = (reason: Reason) => Object.entries(Reason).find(([, number]) => number === reason)?.[0];

export const scene = {
  async send(call: Call, message: { agentName: string; target: string; body: string }) {
    try {
      const { messageId } = await createClient(MessageService, transportOf(call)).send(message);
      return { messageId };
    } catch (error) {
      return refusalOf(error);
    }
  },

  /** Bodies as they are pushed; after `count` it leaves, before that only the server ends it. */
  async watch(call: Call, agentName: string, count: number, began: () => void) {
    const bodies: string[] = [];
    try {
      for await (const { messages } of createClient(MessageService, transportOf(call)).watchMailbox({ agentName })) {
        began();
        bodies.push(...messages.map(({ body }) => body));
        if (bodies.length >= count) return { bodies };
      }
      return { bodies };
    } catch (error) {
      return { bodies, ...refusalOf(error) };
    }
  },

  /** As a page can without asking first: nothing of the answer is shown to it. */
  async blindPost(url: string, body: string) {
    const answer = await fetch(url, {
      method: 'POST',
      mode: 'no-cors',
      headers: { 'content-type': 'text/plain' },
      body,
    });
    return answer.type;
  },
};

Object.assign(globalThis, { scene });
