import type { DescEnum } from '@bufbuild/protobuf';

/** An enum value as a word: `PRESENCE_MAILBOX_ONLY` is `mailbox-only`. A newer server's number stays a number. */
export function wordOf(schema: DescEnum, value: number): string {
  const name = schema.value[value]?.name;
  if (name === undefined) return String(value);
  const bare = schema.sharedPrefix === undefined ? name : name.slice(schema.sharedPrefix.length);
  return bare.toLowerCase().replaceAll('_', '-');
}
