import { OperatorError } from '../../../lib/files/errors.ts';
import { isRecord } from '../template/intrinsics.ts';

/** Returns whether an event passes. */
export type Filter = (event: unknown) => boolean;

/**
 * Compiles a filter pattern of a rule or an event source mapping: each field in it must have one of its values, or a
 * prefix. A field with a list matches when one of its items does.
 *
 * @throws OperatorError for an unknown pattern: a filter that passes too much would hide a mistake
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function parseFilter(pattern: string): Filter {
  const parsed: unknown = JSON.parse(pattern);
  if (!isRecord(parsed)) throw new OperatorError(`The filter pattern ${pattern} is not an object.`);
  return fieldsFilter(parsed);
}

function fieldsFilter(pattern: Record<string, unknown>): Filter {
  const tests = Object.entries(pattern).map(([name, expected]) => fieldFilter(name, expected));
  return (event) => tests.every((test) => test(event));
}

function fieldFilter(name: string, expected: unknown): Filter {
  if (name.startsWith('$')) throw new OperatorError(`The filter condition ${name} is not known on this machine.`);
  const field = (event: unknown) => (isRecord(event) && Object.hasOwn(event, name) ? event[name] : undefined);
  if (isRecord(expected)) {
    const inner = fieldsFilter(expected);
    return (event) => inner(field(event));
  }
  if (!Array.isArray(expected))
    throw new OperatorError(`The filter condition of ${name} is neither a list nor an object.`);
  const conditions = expected.map(condition);
  return (event) => conditions.some((test) => [field(event)].flat().some(test));
}

function condition(expected: unknown): (value: unknown) => boolean {
  if (!isRecord(expected)) return (value) => value === expected;
  const [[operator, prefix] = []] = Object.entries(expected);
  if (operator !== 'prefix' || typeof prefix !== 'string')
    throw new OperatorError(`The filter condition ${JSON.stringify(expected)} is not known on this machine.`);
  return (value) => typeof value === 'string' && value.startsWith(prefix);
}
