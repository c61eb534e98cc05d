import { OperatorError } from '../../../lib/files/errors.ts';

/** Returns whether an event passes. */
export type Filter = (event: unknown) => boolean;

type Test = (value: unknown) => boolean;
type Fields = Record<string, unknown>;

/**
 * Compiles a filter pattern of an event source mapping: each field in it must match one of its conditions, and `$or`
 * one of several patterns. A field with a list matches when one of its items does.
 *
 * @throws OperatorError for an unknown pattern: a filter that passes too much would hide a mistake
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function parseFilter(pattern: string): Filter {
  const parsed: unknown = JSON.parse(pattern);
  if (!isFields(parsed)) throw new OperatorError(`The filter pattern ${pattern} is not an object.`);
  return fieldsFilter(parsed);
}

function fieldsFilter(pattern: Fields): Filter {
  const tests = Object.entries(pattern).map(([name, expected]) =>
    name === '$or' ? anyOf(expected) : fieldFilter(name, expected),
  );
  return (event) => tests.every((test) => test(event));
}

function anyOf(patterns: unknown): Filter {
  if (!Array.isArray(patterns) || !patterns.every(isFields))
    throw new OperatorError('A filter has $or without a list.');
  const filters = patterns.map(fieldsFilter);
  return (event) => filters.some((filter) => filter(event));
}

function fieldFilter(name: string, expected: unknown): Filter {
  const field = (event: unknown) => (isFields(event) && Object.hasOwn(event, name) ? event[name] : undefined);
  if (isFields(expected)) {
    const inner = fieldsFilter(expected);
    return (event) => inner(field(event));
  }
  if (!Array.isArray(expected))
    throw new OperatorError(`The filter condition of ${name} is neither a list nor an object.`);
  const conditions = expected.map(condition);
  return (event) => conditions.some((test) => eachItem(field(event), test));
}

function eachItem(value: unknown, test: Test): boolean {
  return Array.isArray(value) ? value.some(test) : test(value);
}

function condition(expected: unknown): Test {
  if (!isFields(expected)) return (value) => value === expected;
  const [[operator, operand] = ['', undefined]] = Object.entries(expected);
  const make = OPERATORS[operator];
  if (!make) throw new OperatorError(`The filter operator ${JSON.stringify(operator)} is not known on this machine.`);
  return make(operand);
}

const OPERATORS: Readonly<Record<string, (operand: unknown) => Test>> = {
  exists: (operand) => (value) => (value !== undefined) === operand,
  prefix: (operand) => (value) => typeof value === 'string' && value.startsWith(String(operand)),
  suffix: (operand) => (value) => typeof value === 'string' && value.endsWith(String(operand)),
  'equals-ignore-case': (operand) => (value) =>
    typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase(),
  'anything-but': anythingBut,
  numeric,
};

function anythingBut(operand: unknown): Test {
  const excluded = Array.isArray(operand) ? operand.map(condition) : [condition(operand)];
  return (value) => value !== undefined && !excluded.some((test) => test(value));
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** `["<", 10]` or `[">=", 0, "<", 10]`. */
function numeric(operand: unknown): Test {
  if (!Array.isArray(operand)) throw new OperatorError('The filter operator "numeric" has no list.');
  const tests = Array.from({ length: operand.length / 2 }, (_, index) => {
    const compare = COMPARISONS[String(operand[2 * index])];
    const bound = Number(operand[2 * index + 1]);
    if (!compare) throw new OperatorError(`The numeric comparison ${operand[2 * index]} is not known.`);
    return (value: number) => compare(value, bound);
  });
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
