import { randomBytes } from 'node:crypto';
import { createContextKey } from '@connectrpc/connect';

/** Names one call in the log and in the answer's `x-request-id`. */
export const requestIdKey = createContextKey('', { description: 'request id' });

const process = randomBytes(6).toString('hex');
let count = 0;

export const newRequestId = (): string => `${process}-${(++count).toString(36)}`;
