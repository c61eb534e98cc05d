import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns a text field of an answer; undefined when there is none. */
export function textIn(body: unknown, field: string): string | undefined {
  const value = isObject(body) ? body[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns a text field of an object within an answer: `slug.id`. */
export function nestedText(body: unknown, outer: string, field: string): string | undefined {
  return isObject(body) ? textIn(body[outer], field) : undefined;
}

/** Returns a text field that must be there. Throws the code, retryable, when it is not. */
export function requiredText(body: unknown, field: string, code: ErrorCode): string {
  const value = textIn(body, field);
  if (value !== undefined) return value;
  throw new DeployError(code, `The hosting provider's answer has no ${field}; try again.`, { retry: true });
}

/** Returns the objects of an answer that is a list. */
export function listOf(body: unknown): readonly Fields[] {
  return Array.isArray(body) ? body.filter(isObject) : [];
}
