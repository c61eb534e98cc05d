import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';

/** A text that a sender may leave out. */
export const text = v.nullish(v.string());

/** A number, and an id, without which a call can be read all the same. */
export const optionalNumber = v.fallback(v.nullish(v.number()), null);
export const optionalId = v.fallback(v.nullish(v.union([v.number(), v.string()])), null);

/**
 * Returns a body parsed with a schema. Throws `deploy:provider:not_supported`, which names the event and the first
 * field that is missing or invalid, but never its value.
 */
export function readBody<const Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
  what: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true, abortPipeEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue) ?? 'the body';
  const problem = issue.input === undefined ? 'is missing' : described(issue);
  throw new DeployError('deploy:provider:not_supported', `This looks like ${what}, but ${field} ${problem}.`);
}

// valibot's own messages quote the value; the messages of our schemas start with a verb and do not.
function described(issue: v.BaseIssue<unknown>): string {
  return issue.kind === 'schema' ? `is not of the expected type (${issue.expected ?? 'other'})` : issue.message;
}

/** Returns whether a body has a non-null field, given as a path of own keys (`repository.owner`). */
export function hasField(body: unknown, path: string): boolean {
  let value = body;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return value !== undefined && value !== null;
}

/** Returns the first value that is a valid delivery id of a sender; null when none is. */
export function deliveryId(...headers: readonly (string | undefined)[]): string | null {
  return headers.find((header) => header !== undefined && /^[\w-]{1,128}$/.test(header)) ?? null;
}

/** Returns a delivery id derived from facts, for senders without delivery ids: equal facts have equal ids. */
export function factsId(kind: string, facts: readonly (string | number | null)[]): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)}`;
}
