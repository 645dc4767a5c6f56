/** What we use of a hook's input. Whatever has another form counts as absent. */
export interface ClaudeEvent {
  readonly name: string;
  readonly sessionId: string;
  readonly prompt: string;
  readonly permissionMode: string;
  readonly source: string;
  readonly isStopHookActive: boolean;
  readonly isSubagent: boolean;
  /** Another host runs this host's hooks: its sessions are not ours to answer for (faults of that kind were seen). */
  readonly isForeign: boolean;
  readonly commandName: string;
  readonly commandSource: string;
  readonly commandArguments: string;
}

export function readEvent(body: string): ClaudeEvent | undefined {
  const said = parse(body);
  if (said === undefined) return undefined;
  const text = (name: string): string => (typeof said[name] === 'string' ? said[name] : '');
  return {
    name: text('hook_event_name'),
    sessionId: text('session_id'),
    prompt: text('prompt'),
    permissionMode: text('permission_mode'),
    source: text('source'),
    isStopHookActive: said['stop_hook_active'] === true,
    isSubagent: text('agent_id') !== '',
    isForeign: 'cursor_version' in said,
    commandName: text('command_name'),
    commandSource: text('command_source'),
    commandArguments: text('command_args'),
  };
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** In this mode the host holds what is pushed, and asks the person about each; what a hook says it takes. */
export const holdOf = ({ permissionMode }: ClaudeEvent): string =>
  permissionMode === 'bypassPermissions'
    ? 'in bypassPermissions mode Claude Code holds pushed messages until the person lets each in'
    : '';
