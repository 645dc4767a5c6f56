type Answers = Readonly<Record<string, string | readonly string[]>>;

/** A page as a person sees it: what it says, and the form on it. */
export interface Seen {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly html: string;
  /** Where it would have led outside of this server. */
  readonly left: URL | undefined;
}

/** A browser without scripts: it follows redirects on one server, keeps cookies by path, and fills in forms. */
export class Browser {
  readonly #origin: string;
  readonly #jar = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async open(address: string | URL): Promise<Seen> {
    return this.#ask(new URL(address, this.#origin), { method: 'GET' });
  }

  /** Sends the page's form with what it holds, and what the person changes in it; `undefined` takes a field away. */
  async send(
    page: Seen,
    answers: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  ): Promise<Seen> {
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page.html);
    if (form === null) throw new Error(`no form on ${page.url.href}: ${page.html}`);
    const fields = new URLSearchParams();
    for (const [input] of form[2]!.matchAll(/<input[^>]*>/g)) {
      const name = /name="([^"]*)"/.exec(input)?.[1];
      if (name === undefined || name in answers) continue;
      if (/type="(checkbox|radio)"/.test(input) && !input.includes(' checked')) continue;
      fields.append(name, unescaped(/value="([^"]*)"/.exec(input)?.[1] ?? ''));
    }
    for (const [, name, options] of form[2]!.matchAll(/<select name="([^"]+)">([\s\S]*?)<\/select>/g))
      if (!Object.hasOwn(answers, name!)) fields.append(name!, /value="([^"]*)" selected/.exec(options!)?.[1] ?? '');
    for (const [name, value] of Object.entries(answers as Answers))
      for (const one of [value ?? []].flat()) fields.append(name, one);
    const action = new URL(unescaped(form[1]!), page.url);
    return this.#ask(action, { method: 'POST', body: fields, headers: { origin: this.#origin } });
  }

  async #ask(url: URL, init: RequestInit): Promise<Seen> {
    for (let hops = 0; hops < 20; hops++) {
      const cookie = [...this.#jar]
        .filter(([, { path }]) => url.pathname.startsWith(path))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; ');
      const response = await fetch(url, {
        redirect: 'manual',
        ...init,
        headers: { accept: 'text/html', cookie, ...(init.headers as Record<string, string> | undefined) },
      });
      for (const line of response.headers.getSetCookie()) this.#keep(line);
      const { headers, status } = response;
      const html = await response.text();
      const location = headers.get('location');
      if (location === null) return { status, url, headers, html, left: undefined };
      url = new URL(location, url);
      init = { method: 'GET' };
      if (url.origin !== this.#origin) return { status, url, headers, html, left: url };
    }
    throw new Error('redirected without end');
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    const path = /; *path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.#jar.delete(name!);
    else this.#jar.set(name!, { value: value!, path });
  }
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
