import type { JsonObject } from '@bufbuild/protobuf';
import { type McpServerFactory, Server } from '@modelcontextprotocol/server';
import type { Log } from '../core/log.ts';
import type { Perform } from './perform.ts';
import { answered, refused } from './result.ts';
import { instructions, SERVER_NAME, tools } from './tools/all.ts';

/** No tool answers later than its wait and this, nor after half a minute: hosts have been seen to give up at sixty. */
const ANSWER_SECONDS = 4.5;

export interface McpServerDeps {
  readonly perform: Perform;
  readonly version: string;
  readonly log: Log;
}

/** One for each request: what it answers depends on nothing that came before (GTW-1). */
export const mcpServers =
  ({ perform, version, log }: McpServerDeps): McpServerFactory =>
  () => {
    const server = new Server({ name: SERVER_NAME, version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => list);
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const input = (params.arguments ?? {}) as JsonObject;
      const wait = typeof input['wait_seconds'] === 'number' ? Math.min(Math.max(input['wait_seconds'], 0), 25) : 0;
      try {
        return answered(
          await perform(params.name, input, {
            headers: { authorization: `Bearer ${context.http?.authInfo?.token ?? ''}` },
            signal: context.mcpReq.signal,
            timeoutMs: (wait + ANSWER_SECONDS) * 1_000,
          }),
        );
      } catch (error) {
        return refused(error, log);
      }
    });
    return server;
  };

const list = { tools: [...tools] } as never;
