/** The ways in that exist. The next one is `mcp`: add it here, in doors.ts, and as a file beside rpc.ts. */
export const doorNames = ['rpc', 'http', 'cli'] as const;
export type DoorName = (typeof doorNames)[number];
