import { type Html, html, type Page } from '../../http/html.ts';
import { type Scope, scopeWords } from '../scopes.ts';

export interface Asked {
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  /** Where its answer goes: a host, or `localhost` for a program on the person's own computer. */
  readonly redirectHost: string;
  readonly redirectOrigin: string | undefined;
  readonly accountName: string;
  readonly scopes: readonly Scope[];
  readonly agentNames: readonly string[];
}

const choice = (name: string, value: string, words: string): Html =>
  html`<label><input type="checkbox" name="${name}" value="${value}" checked /> ${words}</label>`;

/** What is asked, by whom, for how long: a person may allow less than that, and to refuse is one press as well. */
export const askPage = (asked: Asked): Page => ({
  title: 'Let a program in?',
  ...(asked.redirectOrigin === undefined ? {} : { leadsTo: asked.redirectOrigin }),
  body: html`<p>
      A program that calls itself <strong>${asked.clientName}</strong> asks for access to the account
      <strong>${asked.accountName}</strong>. Nobody checked that name.
    </p>
    <p class="warning">${answerGoes(asked.redirectHost)} Allow it only if you have just started this yourself.</p>
    <form method="post" action="${asked.action}">
      <input type="hidden" name="csrf" value="${asked.csrf}" />
      <fieldset>
        <legend>It may</legend>
        ${asked.scopes.map((scope) => choice('scope', scope, scopeWords[scope]))}
      </fieldset>
      <fieldset>
        <legend>With</legend>
        <label
          ><input type="radio" name="reach" value="all" checked /> all agents of the account, also later ones</label
        >
        <label><input type="radio" name="reach" value="chosen" /> only these:</label>
        ${asked.agentNames.map((name) => choice('target', `agent:${name}`, name))}
      </fieldset>
      <label
        >Until
        <select name="days">
          <option value="1">tomorrow</option>
          <option value="7">a week from now</option>
          <option value="30">30 days from now</option>
          <option value="90" selected>90 days from now</option>
        </select></label
      >
      ${buttons('Allow')}
    </form>
    <p>You can end it at any time with <code>agentworks connections revoke</code>.</p>`,
});

const answerGoes = (redirectHost: string): string => {
  if (redirectHost === '') return 'The answer goes to the program that showed you the code.';
  if (redirectHost === 'localhost') return 'The answer goes to a program on this computer.';
  return `The answer goes to ${redirectHost}.`;
};

const buttons = (yes: string): Html =>
  html`<div class="buttons">
    <button name="answer" value="deny">Deny</button>
    <button name="answer" value="allow">${yes}</button>
  </div>`;

/** The person's own command line: what comes of it is a login, which may do all that they may. */
export const askLoginPage = (asked: Pick<Asked, 'action' | 'csrf' | 'accountName'> & { label: string }): Page => ({
  title: 'Sign in the command line?',
  body: html`<p>
      The command line on <strong>${asked.label}</strong> will be signed in to the account
      <strong>${asked.accountName}</strong>, until you revoke it, and may do everything that you may: manage names and
      connections, send and read, attach sessions.
    </p>
    <p class="warning">Allow it only if you have just run <code>agentworks login</code> there yourself.</p>
    <form method="post" action="${asked.action}">
      <input type="hidden" name="csrf" value="${asked.csrf}" />
      ${buttons('Sign in')}
    </form>`,
});
