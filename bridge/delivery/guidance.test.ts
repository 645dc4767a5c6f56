import { expect, test } from 'vitest';
import { guidance, hint, isGuidanceDue } from './guidance.ts';

const day = 24 * 60 * 60 * 1000;

test('guidance is due at first, and again after a day', () => {
  expect(isGuidanceDue(undefined, 0)).toBe(true);
  expect(isGuidanceDue(1_000, 1_000 + day - 1)).toBe(false);
  expect(isGuidanceDue(1_000, 1_000 + day)).toBe(true);
});

test('a clock that was set back does not hold guidance off', () => {
  expect(isGuidanceDue(day, 1_000)).toBe(true);
});

test('every offer says how to acknowledge and how to answer, by the names this host gives the tools', () => {
  const tools = { prefix: 'mcp__x__', provider: 'claude' };
  for (const words of [hint(tools), guidance(tools)]) {
    expect(words).toContain('mcp__x__agent_message_ack');
    expect(words).toContain('mcp__x__agent_message_reply');
  }
  expect(guidance(tools)).toContain('agentworks bridge message ack|reply|send|peers|read --provider claude');
});
