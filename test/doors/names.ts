/** The ways in. */
export const doorNames = ['rpc', 'http', 'cli', 'mcp'] as const;
export type DoorName = (typeof doorNames)[number];
