import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

export type SiteRequest = IncomingMessage | Http2ServerRequest;
export type SiteResponse = ServerResponse | Http2ServerResponse;

/** What is answered over plain HTTP beside the RPCs, once the request was found to be no foreign page's. */
export interface Site {
  /** The content types in which something may be posted to it. */
  readonly types: RegExp;
  answer(request: SiteRequest, response: SiteResponse): Promise<void>;
}

/** Which site answers a path, if one does. */
export type SiteAt = (path: string) => Site | undefined;
