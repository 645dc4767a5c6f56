import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { MessageService } from '#gen/agentworks/messages/v1/messages_pb.ts';
import { endSignal, known } from '../access/known.ts';
import { readTime } from '../core/database.ts';
import type { Endings } from '../core/endings.ts';

import { shownMessage, shownPage } from './page.ts';
import { read, type ReadDeps } from './read.ts';
import { type Receipt, receipts } from './receipts.ts';
import { search } from './search.ts';
import { send, type SendDeps, type Sent } from './send.ts';
import { watch } from './watch.ts';

export type MessageDeps = SendDeps & ReadDeps & { readonly endings: Endings };

export const messageRoutes = (deps: MessageDeps) => (router: ConnectRouter) =>
  router.service(MessageService, {
    send: async (request, context) => shownSent(await send(deps, known(context), request), request.target),
    read: async (request, context) => shownPage(await read(deps, known(context), request, endSignal(context))),
    search: async (request, context) => {
      const page = await search(deps, known(context), request);
      return { messages: page.messages.map(shownMessage), nextCursor: page.nextCursor };
    },
    getReceipts: async (request, context) => ({
      messageId: request.messageId,
      receipts: (await receipts(deps, known(context), request)).map(shownReceipt),
    }),
    async *watchInbox(request, context) {
      const what = { inboxId: request.inboxId, agentName: '', fromAgent: '', attachmentId: request.attachmentId };
      for await (const page of watch(deps, known(context), { ...what, after: request.after }, endSignal(context)))
        yield shownPage(page);
    },
    async *watchMailbox(request, context) {
      const what = { inboxId: '', agentName: request.agentName, fromAgent: '', attachmentId: request.attachmentId };
      for await (const page of watch(deps, known(context), { ...what, after: request.after }, endSignal(context)))
        yield shownPage(page);
    },
  });

export function shownSent(recipients: readonly Sent[], target: string) {
  const only = /^agent:\*$/i.test(target) ? undefined : recipients[0];
  return {
    inboxId: only?.inboxId ?? '',
    conversationId: only?.conversationId ?? '',
    messageId: only?.messageId ?? '',
    recipients: recipients.map((sent) => ({
      agentName: sent.toAgent,
      inboxId: sent.inboxId,
      conversationId: sent.conversationId,
      messageId: sent.messageId,
      recipientState: sent.presence,
      ...(sent.lastSeenTime === undefined ? {} : { lastSeenTime: timestampFromDate(sent.lastSeenTime) }),
      wake: sent.wake,
    })),
  };
}

const shownReceipt = (receipt: Receipt) => ({
  agentName: receipt.agentName,
  state: receipt.state,
  reason: receipt.reason,
  events: receipt.events.map((event) => ({
    kind: event.kind,
    time: timestampFromDate(readTime(event.time)),
    route: event.route,
    attachmentId: event.attachment_id,
    source: event.source,
    detail: event.detail,
  })),
});
