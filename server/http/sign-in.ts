import type { SiteRequest, SiteResponse } from './site.ts';

/** Where a person is asked who they are. */
export interface SignInPlace {
  /** The path to which the form is posted, on this server. */
  readonly action: string;
  /** To be sent along as `csrf`; whoever asked has checked it before `post`. */
  readonly csrf: string;
  /** What they sign in for, as text that may hold another program's words. */
  readonly purpose: string;
  /** Where its form may lead beside this server, when the person cancels. */
  readonly leadsTo: string | undefined;
}

/** How a person proves who they are. It answers the account's id once proven; else it has written a page. */
export interface SignIn {
  page(request: SiteRequest, response: SiteResponse, place: SignInPlace): Promise<string | undefined>;
  post(
    request: SiteRequest,
    response: SiteResponse,
    place: SignInPlace,
    form: URLSearchParams,
  ): Promise<string | undefined>;
}
