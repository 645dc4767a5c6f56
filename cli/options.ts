/** One option of a command, from which parsing, help, completion and docs/cli.md come. */
export type Option =
  | {
      readonly kind: 'text';
      readonly summary: string;
      readonly placeholder: string;
      readonly required?: boolean;
      readonly hidden?: boolean;
    }
  | {
      readonly kind: 'number';
      readonly summary: string;
      readonly placeholder: string;
      readonly isPositive?: boolean;
    }
  | { readonly kind: 'many'; readonly summary: string; readonly placeholder: string }
  | { readonly kind: 'switch'; readonly summary: string };

export type Options = Readonly<Record<string, Option>>;

export const text = (placeholder: string, summary: string) => ({ kind: 'text', placeholder, summary }) as const;
export const required = (placeholder: string, summary: string) =>
  ({ kind: 'text', placeholder, summary, required: true }) as const;
/** For programs that speak for an attached session; a person has no use for it. */
export const hidden = (placeholder: string, summary: string) =>
  ({ kind: 'text', placeholder, summary, hidden: true }) as const;
export const number = (placeholder: string, summary: string) => ({ kind: 'number', placeholder, summary }) as const;
/** One whose 0 would mean the API's default, which nobody who writes 0 means. */
export const positive = (placeholder: string, summary: string) =>
  ({ kind: 'number', placeholder, summary, isPositive: true }) as const;
/** May be given several times. */
export const many = (placeholder: string, summary: string) => ({ kind: 'many', placeholder, summary }) as const;
export const turnOn = (summary: string) => ({ kind: 'switch', summary }) as const;

type ValueOf<O extends Option> = O extends { kind: 'number' }
  ? number | undefined
  : O extends { kind: 'many' }
    ? readonly string[] | undefined
    : O extends { kind: 'switch' }
      ? boolean
      : O extends { required: true }
        ? string
        : string | undefined;

/** What a command's `run` is given. */
export type Given<O extends Options> = { readonly [K in keyof O]: ValueOf<O[K]> };

/** Taken by every command, anywhere on the line. */
export const globalOptions = {
  config: text('PATH', 'The config file of this sign-in; also AGENTWORKS_CONFIG'),
  json: turnOn('Print JSON in the names of the API, one document a line'),
  accessible: turnOn('Print for a screen reader: nothing drawn, one line a thing'),
} as const satisfies Options;

export type GlobalsGiven = Given<typeof globalOptions>;
