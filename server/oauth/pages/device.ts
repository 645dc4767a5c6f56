import { type Html, html, type Page } from '../../http/html.ts';
import { LOGIN_SCOPE, type Scope, scopeWords } from '../scopes.ts';

/** `formXsrf` is the library's own token of the form, which it checks itself. */
export const codePage = (at: {
  readonly action: string;
  readonly xsrf: string;
  readonly userCode: string;
  readonly problem: string | undefined;
}): Page => ({
  title: 'Enter the code',
  body: html`${at.problem === undefined ? html`` : html`<p class="warning" role="alert">${at.problem}</p>`}
    <form method="post" action="${at.action}">
      <input type="hidden" name="xsrf" value="${at.xsrf}" />
      <label
        >The code that your program shows
        <input type="text" name="user_code" value="${at.userCode}" class="code" autocomplete="off" autofocus required
      /></label>
      <div class="buttons"><button>Continue</button></div>
    </form>
    <p class="warning">
      Never continue a code that you did not start yourself: whoever sent it to you would get into your account.
    </p>`,
});

export const codeConfirmPage = (at: {
  readonly action: string;
  readonly xsrf: string;
  readonly userCode: string;
  readonly clientName: string;
  readonly label: string;
  readonly scopes: readonly string[];
}): Page => ({
  title: 'Is this your code?',
  body: html`<p class="code">${at.userCode}</p>
    <p>
      <strong>${at.clientName}</strong>${at.label === '' ? html`` : html` on <strong>${at.label}</strong>`} shows this
      code and asks to be let in. Nobody checked these names.
    </p>
    <p>It asks to:</p>
    <ul>
      ${at.scopes.map((scope) => html`<li>${wordsOf(scope)}</li>`)}
    </ul>
    <p class="warning">Never continue a code that you did not start yourself.</p>
    <form method="post" action="${at.action}">
      <input type="hidden" name="xsrf" value="${at.xsrf}" />
      <input type="hidden" name="user_code" value="${at.userCode}" />
      <div class="buttons">
        <button name="abort" value="yes">Deny</button>
        <button name="confirm" value="yes">Continue</button>
      </div>
    </form>`,
});

const wordsOf = (scope: string): string =>
  scope === LOGIN_SCOPE ? 'Do everything that you may do' : scopeWords[scope as Scope];

export const donePage: Page = {
  title: 'Done',
  body: html`<p>The program has what it asked for. You can close this page and go back to it.</p>`,
};

export const problemPage = (sentence: string | Html, status = 400): Page => ({
  title: 'That did not work',
  status,
  body: html`<p role="alert">${sentence}</p>
    <p>Start again from the program that brought you here.</p>`,
});
