import type { JsonObject } from '@bufbuild/protobuf';

/** What clients show a model without cutting it or putting it away in a file. */
const PAGE_BYTES = 24_000;

/**
 * One page as text that fits: asked again for fewer items where it does not, so that `next_cursor` is true. A single
 * item is given whole, however long.
 */
export async function fitting(
  pageSize: number,
  ask: (pageSize: number) => Promise<{ readonly shown: JsonObject; readonly items: readonly unknown[] }>,
): Promise<JsonObject> {
  for (let size = pageSize; ;) {
    const { shown, items } = await ask(size);
    if (items.length <= 1 || bytesOf(shown) <= PAGE_BYTES) return shown;
    let fits = 1;
    for (let bytes = bytesOf(items[0]); fits < items.length; fits++) {
      bytes += bytesOf(items[fits]);
      if (bytes > PAGE_BYTES) break;
    }
    // What is around the items may be what is too much.
    size = Math.min(fits, items.length - 1);
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
