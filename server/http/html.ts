import { createHash } from 'node:crypto';
import type { SiteResponse } from './site.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[];

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character]!);

const written = (value: Value): string => {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(written).join('\n');
  return escaped(String(value));
};

/** Whatever is put into it is text, unless it is HTML of ours. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.map((part, i) => (i === 0 ? part : written(values[i - 1]!) + part)).join(''));

const STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem }
  fieldset { border: 1px solid; border-radius: .5rem; margin: 1rem 0; padding: .5rem 1rem }
  label { display: block; padding: .25rem 0 }
  input[type=text], input[type=password], select { font: inherit; padding: .4rem; max-width: 100% }
  .buttons { display: flex; gap: 1rem; margin: 1.5rem 0 }
  button { font: inherit; padding: .6rem 1.2rem; flex: 1; cursor: pointer }
  code { overflow-wrap: anywhere }
  .code { font: 1.5rem ui-monospace, monospace; letter-spacing: .1em }
  .warning { border-left: .3rem solid; padding-left: .8rem }
`;

const styleSource = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** One page of ours: no script, nothing from elsewhere, in nobody's frame. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Where its form may lead beside this server: browsers hold that against redirects too. */
  readonly leadsTo?: string;
}

export const pageHeaders = ({ leadsTo }: Pick<Page, 'leadsTo'> = {}): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src ${styleSource}; form-action 'self'${leadsTo === undefined ? '' : ` ${leadsTo}`}; frame-ancestors 'none'; base-uri 'none'`,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`, under which forms say that they come from nowhere.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

export const pageText = ({ title, body }: Page): string =>
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · AgentWorks</title>
<style>${STYLE}</style>
<main>
<h1>${escaped(title)}</h1>
${body.text}
</main>
</html>
`;

export function writePage(response: SiteResponse, page: Page): void {
  response.statusCode = page.status ?? 200;
  for (const [name, value] of Object.entries(pageHeaders(page))) response.setHeader(name, value);
  response.end(pageText(page));
}
