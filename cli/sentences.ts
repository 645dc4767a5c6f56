import {
  type ApplicationText,
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
  text_en,
} from '@stricli/core';

const flagName = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const maybe = (names: readonly string[]) => (names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`);

/** stricli's words, as sentences that end the same way: what is wrong, and what may have been meant. */
export const sentences: ApplicationText = {
  ...text_en,
  exceptionWhileParsingArguments(thrown) {
    if (!(thrown instanceof ArgumentScannerError)) return String(thrown);
    return formatMessageForArgumentScannerError(thrown, {
      FlagNotFoundError: ({ input, corrections }) =>
        `There is no option --${input}.${maybe(corrections.map((name) => `--${name}`))}`,
      AliasNotFoundError: ({ input }) => `There is no option -${input}.`,
      ArgumentParseError: ({ externalFlagNameOrPlaceholder, exception }) =>
        `${externalFlagNameOrPlaceholder}: ${exception instanceof Error ? exception.message : String(exception)}.`,
      EnumValidationError: ({ externalFlagName, input, values }) =>
        `${flagName(externalFlagName)} is ${values.join(' or ')}, not ${input}.`,
      UnsatisfiedFlagError: ({ externalFlagName }) => `${flagName(externalFlagName)} needs a value.`,
      UnexpectedFlagError: ({ externalFlagName }) => `${flagName(externalFlagName)} is given twice.`,
      UnsatisfiedPositionalError: ({ placeholder }) => `${placeholder} is missing.`,
      UnexpectedPositionalError: ({ input }) =>
        `"${input}" is one argument too many. Quote what has spaces in it, and name every option.`,
      InvalidNegatedFlagSyntaxError: ({ externalFlagName }) => `${flagName(externalFlagName)} takes no value.`,
    });
  },
  noCommandRegisteredForInput: ({ input, corrections }) => `There is no command "${input}".${maybe(corrections)}`,
};
