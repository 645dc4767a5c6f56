import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  type Command as Route,
  type RouteMap,
  type StricliProcess,
} from '@stricli/core';
import manifest from '../package.json' with { type: 'json' };
import type { Command } from './command.ts';
import { commands, isNoun, type Noun, type Verb } from './commands.ts';
import type { Io } from './context.ts';
import { globalOptions, type Option, type Options } from './options.ts';
import { sentences } from './sentences.ts';
import type { Values } from './values.ts';

/** What stricli hands to a command: our world, and a place for the exit code. */
export interface Running extends CommandContext {
  readonly process: StricliProcess;
  readonly io: Io;
  exitCode?: number;
}

/** The command that a line names, once its file is read. */
export interface Named {
  readonly path: readonly string[];
  readonly command: Command;
  readonly values: Values;
}

/**
 * The program as stricli sees it. Only the named command has its options: the others are a name and a summary, so that
 * help and a mistyped name read no command's file.
 */
export function buildApp(named: Named | undefined): Application<Running> {
  return buildApplication(routesOf({ summary: manifest.description, verbs: commands }, [], named), {
    name: 'agentworks',
    versionInfo: { currentVersion: manifest.version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
    localization: { text: sentences },
  });
}

function routesOf({ summary, verbs }: Noun, path: readonly string[], named: Named | undefined): RouteMap<Running> {
  const routes = Object.entries(verbs).map(([name, entry]): [string, Route<Running> | RouteMap<Running>] => {
    const words = [...path, name];
    return [name, isNoun(entry) ? routesOf(entry, words, named) : route(entry, words, named)];
  });
  const aliases = Object.entries(verbs).flatMap(([name, entry]) =>
    isNoun(entry) && entry.alias !== undefined ? [[entry.alias, name] as const] : [],
  );
  return buildRouteMap<string, Running>({
    routes: Object.fromEntries(routes),
    aliases: Object.fromEntries(aliases),
    docs: { brief: summary },
  });
}

function route(verb: Verb, path: readonly string[], named: Named | undefined): Route<Running> {
  const isNamed = named !== undefined && named.path.join(' ') === path.join(' ');
  if (!isNamed)
    return buildCommand<object, [], Running>({ func: () => {}, parameters: {}, docs: { brief: verb.summary } });
  const { options, operand, description, examples } = named.command;
  const all: Options = { ...options, ...globalOptions };
  return buildCommand<Record<string, never>, string[], Running>({
    loader: async () => {
      const { perform } = await import('./perform.ts');
      return async function performed(this: Running, given, ...operands) {
        this.exitCode = await perform(named.command, this.io, given, operands);
      };
    },
    parameters: {
      flags: Object.fromEntries(
        Object.entries(all).map(([name, option]) => [name, flag(option, named.values)]),
      ) as never,
      ...(operand === undefined ? {} : { positional: positional(operand) as never }),
    },
    docs: { brief: verb.summary, fullDescription: fullDescription(verb.summary, description, examples) },
  });
}

const positional = ({ name, summary, optional, many }: NonNullable<Command['operand']>) => {
  const parameter = { placeholder: name, brief: summary, parse: String };
  return many === true
    ? { kind: 'array', parameter }
    : { kind: 'tuple', parameters: [{ ...parameter, optional: optional === true }] };
};

function fullDescription(summary: string, description: string | undefined, examples: readonly string[]): string {
  const about = description === undefined ? `${summary}.` : `${summary}.\n\n${description}`;
  return `${about}\n\nEXAMPLES\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

function flag(option: Option, values: Values): object {
  const { summary: brief } = option;
  switch (option.kind) {
    case 'text':
      return {
        kind: 'parsed',
        parse: values.read,
        brief,
        placeholder: option.placeholder,
        optional: option.required !== true,
        hidden: option.hidden === true,
      };
    case 'number':
      return {
        kind: 'parsed',
        parse: (input: string) => wholeNumber(values.read(input), option.isPositive),
        brief,
        placeholder: option.placeholder,
        optional: true,
      };
    case 'many':
      return {
        kind: 'parsed',
        parse: values.read,
        brief,
        placeholder: option.placeholder,
        optional: true,
        variadic: true,
      };
    case 'switch':
      return { kind: 'boolean', brief, default: false, withNegated: false };
  }
}

const MOST = 2_147_483_647;

/** Any whole number the API can carry. Whether it makes sense is mostly the server's to say, as behind every door. */
function wholeNumber(input: string, isPositive = false): number {
  const value = Number(input);
  if (!/^-?\d+$/.test(input)) throw new Error(`${input} is no whole number`);
  if (isPositive && value === 0) throw new Error(`${input} is too small; the least is 1`);
  if (Math.abs(value) > MOST) throw new Error(`${input} is out of range; the most is ${MOST}`);
  return value;
}
