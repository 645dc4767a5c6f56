import type { Way } from '../link/bridge-link.ts';

/** What the person must know of an attachment: what a wake means here, or why there is none (ATT-1a). */
export const noticesOf = ({ wakes, routeDetail }: Way): string[] =>
  wakes
    ? [
        'A message starts a turn in the chat when it is idle, and reaches it between two tool calls when it is busy. The turn runs under the model, approvals and sandbox that the chat has; they, and your draft, stay as they are.',
      ]
    : [
        `A message waits until the end of the chat's next turn; nothing wakes it${routeDetail === '' ? '' : `: ${routeDetail}`}.`,
      ];
