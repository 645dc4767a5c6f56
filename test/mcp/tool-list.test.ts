import { expect, test } from 'vitest';
import { instructions, SERVER_NAME, tools } from '../../server/mcp/tools/all.ts';

/** What the known clients and model APIs refuse, drop or cut (GTW-1c). */
const schemas = tools.flatMap((tool) => [
  { of: `${tool.name} in`, schema: tool.inputSchema },
  { of: `${tool.name} out`, schema: tool.outputSchema },
]);

function* inside(schema: unknown): Generator<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) yield schema as Record<string, unknown>;
  for (const value of Object.values(schema)) yield* inside(value);
}

test('GTW-1a, ATT-2e the tools are these, in one order, and none attaches', () => {
  expect(tools.map(({ name }) => name)).toEqual([
    'messages',
    'messages_read',
    'functions',
    'functions_read',
    'runs',
    'runs_read',
    'help',
  ]);
  const said = tools.flatMap((tool) => (tool.inputSchema.properties['action'] as { enum: string[] }).enum);
  expect(said.filter((action) => /attach|detach|move|confirm|acknowledge/.test(action))).toEqual([]);
});

test('GTW-1c names are short, in letters that every client takes, also as clients compose them', () => {
  expect(SERVER_NAME.length).toBeLessThanOrEqual(16);
  for (const { name } of tools) {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,24}$/);
    expect(`mcp__plugin_${SERVER_NAME}_${SERVER_NAME}__${name}`.length).toBeLessThanOrEqual(60);
    expect(SERVER_NAME.length + name.length).toBeLessThanOrEqual(60);
  }
});

const unread = ['oneOf', 'anyOf', 'allOf', 'not', '$ref', '$defs', 'pattern', 'prefixItems', 'if'];

test('GTW-1c schemas are flat objects without what a client cannot read', () => {
  expect(schemas.length).toBe(14);
  const wrong = schemas.filter(
    ({ schema }) =>
      schema.type !== 'object' ||
      [...inside(schema)].some(
        (part) => unread.some((word) => word in part) || Array.isArray(part['type']) || Array.isArray(part['items']),
      ),
  );
  expect(wrong.map(({ of }) => of)).toEqual([]);
});

test('GTW-1c arguments are closed, described, and say for which action they are', () => {
  const wrong = tools.flatMap(({ name, inputSchema }) => {
    const { action, ...rest } = inputSchema.properties;
    const known = (action as { enum: string[] }).enum;
    const isClosed = !inputSchema.additionalProperties && inputSchema.required.join() === 'action';
    const vague = Object.entries(rest).filter(
      ([, { description }]) => !known.some((one) => String(description).includes(one)),
    );
    return [...(isClosed ? [] : [name]), ...vague.map(([field]) => `${name}.${field}`)];
  });
  expect(wrong).toEqual([]);
});

test('GTW-1c descriptions fit what clients show of them', () => {
  const wrong = tools.filter(({ description }) => description.length > 1_000 || description.length < 40);
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(instructions.length).toBeLessThanOrEqual(1_500);
});

test('PLG-5 every tool says what it may do, and the reading twin of each only reads', () => {
  for (const { annotations } of tools) {
    expect(Object.keys(annotations).toSorted()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
      'title',
    ]);
  }
  const reading = tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
  expect(reading).toEqual(['messages_read', 'functions_read', 'runs_read', 'help']);
});

test('GTW-1a a reading twin takes only what the whole tool takes too', () => {
  for (const twin of tools.filter(({ name }) => name.endsWith('_read'))) {
    const whole = tools.find(({ name }) => `${name}_read` === twin.name)!;
    const { action, ...rest } = twin.inputSchema.properties;
    expect(action).toBeDefined();
    expect(whole.inputSchema.properties).toMatchObject(rest);
  }
});
