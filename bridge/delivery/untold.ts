import type { Untold } from '../journal/journal.ts';

const MOST_IDS = 20;

/** What was kept while the server was away and ended with its lease: '' when nothing did. */
export function untold({ messageIds, submissionIds }: Untold): string {
  const parts = [
    messageIds.length === 0 ? '' : `the acknowledgement of ${some(messageIds)} was not told`,
    submissionIds.length === 0 ? '' : `what was kept as submission ${some(submissionIds)} was not sent`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `The attachment ended before the server was back: ${parts.join(', and ')}.`;
}

const some = (ids: readonly string[]): string =>
  ids.slice(0, MOST_IDS).join(', ') + (ids.length > MOST_IDS ? ` and ${ids.length - MOST_IDS} more` : '');
