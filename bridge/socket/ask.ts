import { Agent } from 'node:http';
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { LocalService } from '#gen/agentworks/bridge/v1/local_pb.ts';
import { Refusal, refusalOf } from '../client/refusal.ts';
import { findBridge } from './find.ts';
import type { Where } from './where.ts';

/** A running bridge, ready to be asked. Every failure of every call is a Refusal. */
export interface Bridge {
  readonly local: Client<typeof LocalService>;
  readonly version: string;
  readonly pid: number;
  close(): void;
}

/** The bridge of this config; a Refusal says how to start it when none runs. */
export async function openBridge(where: Where): Promise<Bridge> {
  const found = await findBridge(where);
  if (found !== undefined) return { ...open(found.socket), version: found.version, pid: found.pid };
  const sentence = 'The bridge is not running. Start it with: agentworks bridge start';
  throw new Refusal('UNAVAILABLE', sentence, { subject: where.socket });
}

function open(socket: string) {
  const agent = new Agent({ keepAlive: true });
  const transport = createConnectTransport({
    httpVersion: '1.1',
    baseUrl: 'http://localhost',
    useBinaryFormat: false,
    nodeOptions: { socketPath: socket, agent },
    interceptors: [refusing],
  });
  return { local: createClient(LocalService, transport), close: () => agent.destroy() };
}

const refusing: Interceptor = (next) => async (request) => {
  const refuse = (error: unknown) => refusalOf(error, 'the bridge', request.signal);
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: each(response.message, refuse) } : response;
  } catch (error) {
    throw refuse(error);
  }
};

async function* each<T>(messages: AsyncIterable<T>, refuse: (error: unknown) => Refusal): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw refuse(error);
  }
}
