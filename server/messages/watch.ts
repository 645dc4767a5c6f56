import type { Known } from '../access/callers.ts';
import { crashPoint } from '../core/crash-point.ts';
import type { Endings } from '../core/endings.ts';
import type { Page } from './page.ts';
import { pageOf, type ReadDeps, startReading, type WhatToRead } from './read.ts';

/**
 * Read after the cursor, yield, wait (MSG-13). A wake that is lost costs at most one repair poll; a right that ended
 * releases nothing, because it is judged in the statement that reads and looked at again before each page leaves.
 */
export async function* watch(
  deps: ReadDeps & { readonly endings: Endings },
  caller: Known,
  input: WhatToRead & { after: string },
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const reading = await startReading(deps, caller, input);
  using waiter = deps.hub.subscribe(reading.topic);
  using hold = deps.endings.hold(...endingsOf(reading.reader));
  const stop = AbortSignal.any([signal, hold.signal]);
  let after = input.after;
  for (let first = true; !stop.aborted; first = false) {
    const page = await pageOf(deps, reading, after, 0);
    hold.check();
    after = page.nextCursor;
    if (first || page.messages.length > 0) {
      yield page;
      crashPoint('stream.yielded');
    } else await waiter.next(stop);
  }
  hold.check();
}

const endingsOf = (reader: { attachmentId: string | null; mailbox: object }): string[] => [
  ...(reader.attachmentId === null ? [] : [reader.attachmentId]),
  ...('agentId' in reader.mailbox ? [String(reader.mailbox.agentId)] : []),
];
