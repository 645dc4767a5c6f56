import { Problem } from '../core/problem.ts';
import { html, writePage } from '../http/html.ts';
import type { SignIn, SignInPlace } from '../http/sign-in.ts';
import type { SiteResponse } from '../http/site.ts';

interface Codes {
  /** Whose account the code opens, once. */
  redeem(code: string): Promise<string | undefined>;
}

/** A person who is signed in at a terminal, there or elsewhere, makes a code there and types it here. */
export const signInByCode = (codes: Codes): SignIn => ({
  page: async (_request, response, place) => show(response, place),
  async post(_request, response, place, form) {
    try {
      const accountId = await codes.redeem(form.get('code') ?? '');
      return (
        accountId ??
        show(
          response,
          place,
          'That code opens nothing: it was used, is older than five minutes, or has a typing error. Make a new one.',
        )
      );
    } catch (error) {
      if (error instanceof Problem) return show(response, place, `${error.message}.`);
      throw error;
    }
  },
});

function show(response: SiteResponse, { action, csrf, purpose, leadsTo }: SignInPlace, problem = ''): undefined {
  writePage(response, {
    title: 'Sign in',
    ...(leadsTo === undefined ? {} : { leadsTo }),
    body: html`<p>Sign in ${purpose}.</p>
      <p>
        In a terminal where you are signed in, run <code>agentworks sign-in-code</code> and type here what it prints.
      </p>
      <p role="alert">${problem}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <label
          >Sign-in code
          <input
            type="text"
            name="code"
            required
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck="false"
        /></label>
        <div class="buttons">
          <button name="answer" value="deny" formnovalidate>Cancel</button><button>Sign in</button>
        </div>
      </form>`,
  });
}
