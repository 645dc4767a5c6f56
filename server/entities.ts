import { AccountSchema, AuditEventSchema, Connection, SignInCodeSchema, SignInGuessSchema } from './access/entities.ts';
import { AttachmentSchema } from './agents/attachments/entities.ts';
import { AgentSchema } from './agents/entities.ts';
import {
  DeliverySchema,
  InboxSchema,
  MailboxSchema,
  MessageSchema,
  ReceiptEventSchema,
  SubmissionSchema,
} from './messages/entities.ts';
import { EpochSchema, LinkSchema, NodeSchema } from './nodes/entities.ts';
import { OauthItemSchema, ServerKeySchema } from './oauth/entities.ts';

/** Every table, so that one test can say that entities and migrations agree. */
export const entities = [
  EpochSchema,
  NodeSchema,
  LinkSchema,
  AccountSchema,
  Connection,
  AuditEventSchema,
  SignInCodeSchema,
  SignInGuessSchema,
  AgentSchema,
  AttachmentSchema,
  MailboxSchema,
  InboxSchema,
  MessageSchema,
  DeliverySchema,
  ReceiptEventSchema,
  SubmissionSchema,
  OauthItemSchema,
  ServerKeySchema,
];
