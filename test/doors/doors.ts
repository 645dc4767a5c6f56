import { cli } from './cli.ts';
import type { Door } from './door.ts';
import { http } from './http.ts';
import { mcp } from './mcp.ts';
import type { DoorName } from './names.ts';
import { rpc } from './rpc.ts';

export const doors: Record<DoorName, Door> = { rpc, http, cli, mcp };
