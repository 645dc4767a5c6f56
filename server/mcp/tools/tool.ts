/** What a schema of ours is made of: flat, and in words that every known client and model API takes. */
export type Property = Readonly<Record<string, unknown>> & { readonly description: string };

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/** What a client may take for granted of a tool; hosts decide by it whether a person is asked (PLG-5). */
interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One tool as every client is told of it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Annotations;
}

export const text = (description: string): Property => ({ type: 'string', description });
export const truth = (description: string): Property => ({ type: 'boolean', description });
export const words = (description: string): Property => ({ type: 'array', items: { type: 'string' }, description });
export const anything = (description: string): Property => ({
  type: 'object',
  additionalProperties: true,
  description,
});
export const whole = (minimum: number, maximum: number, description: string): Property => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});

/** The arguments of a tool of several actions. What belongs to an action is said in words: no client reads `oneOf`. */
export const actions = (names: readonly string[], properties: Readonly<Record<string, Property>>): ObjectSchema => ({
  type: 'object',
  properties: {
    action: { type: 'string', enum: [...names], description: `What to do: ${names.join(', ')}.` },
    ...properties,
  },
  required: ['action'],
  additionalProperties: false,
});

/** Answers are the API's own messages, which grow. */
export const answers = (properties: Readonly<Record<string, Property>>): ObjectSchema => ({
  type: 'object',
  properties,
  required: [],
  additionalProperties: true,
});

export const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** One of its actions takes something away. */
export const removes = { ...writes, destructiveHint: true };
