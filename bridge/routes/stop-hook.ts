/** Claude Code's turn boundary. Its bound is the host's own for what a hook may add. */
export const stopHook = { name: 'stop-hook', maxBytes: 9_500 } as const;

/** What continues the turn with our text, once and without an error notice: `decision: block` would show both. */
export const atStop = (text: string): string => context('Stop', text);

/** What an agent reads beside a prompt of its person. */
export const atPrompt = (text: string): string => context('UserPromptSubmit', text);

const context = (hookEventName: string, additionalContext: string): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
