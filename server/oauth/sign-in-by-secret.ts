import { html, writePage } from '../http/html.ts';
import type { SignIn, SignInPlace } from '../http/sign-in.ts';
import type { SiteResponse } from '../http/site.ts';

interface Callers {
  enter(
    secret: string,
  ): Promise<
    { readonly caller: { readonly kind: string; readonly accountId: string }; readonly right: Disposable } | undefined
  >;
}

/** A person who is signed in at a terminal shows the secret of that login. */
export const signInBySecret = (callers: Callers): SignIn => ({
  page: async (_request, response, place) => show(response, place),
  async post(_request, response, place, form) {
    const entry = await callers.enter(form.get('code') ?? '');
    entry?.right[Symbol.dispose]();
    if (entry?.caller.kind === 'person') return entry.caller.accountId;
    return show(response, place, 'That opens nothing here.');
  },
});

function show(response: SiteResponse, { action, csrf, purpose, leadsTo }: SignInPlace, problem = ''): undefined {
  writePage(response, {
    title: 'Sign in',
    ...(leadsTo === undefined ? {} : { leadsTo }),
    body: html`<p>Sign in ${purpose}.</p>
      <p role="alert">${problem}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <label>What <code>agentworks token</code> prints <input type="password" name="code" required /></label>
        <div class="buttons">
          <button name="answer" value="deny" formnovalidate>Cancel</button><button>Sign in</button>
        </div>
      </form>`,
  });
}
