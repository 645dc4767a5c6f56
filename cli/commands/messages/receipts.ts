import {
  GetReceiptsResponseSchema,
  type Receipt,
  ReceiptEventKindSchema,
  ReceiptStateSchema,
  StandingReason,
  StandingReasonSchema,
} from '#gen/agentworks/messages/v1/messages_pb.ts';
import { command } from '../../command.ts';
import type { Cell } from '../../faces/table.ts';
import { dateOf } from '../../faces/time.ts';
import { wordOf } from '../../faces/words.ts';
import { hidden } from '../../options.ts';

export const receipts = command({
  description:
    'stored: on disk. admitted: the agent says that it has it. processed: it says that it acted on it.\nA message that stands still says why.',
  options: { attachment: hidden('ID', 'The live attachment that asks') },
  operand: { name: 'MESSAGE_ID', summary: 'A message that you sent' },
  examples: ['agentworks messages receipts msg_01ABC'],
  async run({ face, client }, { attachment = '' }, messageId = '') {
    const answer = await (await client()).messages.getReceipts({ messageId, attachmentId: attachment });
    face.result(GetReceiptsResponseSchema, answer, () => ({
      columns: [
        { title: 'TO' },
        { title: 'WHAT' },
        { title: 'TIME' },
        { title: 'ROUTE' },
        { title: 'SAID BY' },
        { title: 'WHY', gives: true },
      ],
      rows: answer.receipts.flatMap(rowsOf),
    }));
  },
});

/** What happened, and below it how things stand. */
function rowsOf({ agentName, state, reason, events }: Receipt): (readonly Cell[])[] {
  const rows: (readonly Cell[])[] = events.map(({ kind, time, route, source, detail }) => [
    agentName,
    wordOf(ReceiptEventKindSchema, kind),
    dateOf(time),
    route,
    source,
    detail,
  ]);
  const why = reason === StandingReason.UNSPECIFIED ? '' : wordOf(StandingReasonSchema, reason);
  return [...rows, [agentName, `now ${wordOf(ReceiptStateSchema, state)}`, undefined, '', '', why]];
}
