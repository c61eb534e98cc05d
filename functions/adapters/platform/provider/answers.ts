import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns a string field of an answer; undefined when there is none. */
export function textIn(body: unknown, field: string): string | undefined {
  const value = isObject(body) ? body[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns an http(s) URL without its last slash, because it is shown as a link; undefined for other values. */
export function addressIn(body: unknown, field: string): string | undefined {
  const address = textIn(body, field) ?? '';
  return /^https?:\/\//i.test(address) ? address.replace(/\/+$/, '') : undefined;
}

/** Returns a string field of an object within an answer: `slug.id`. */
export function nestedText(body: unknown, outer: string, field: string): string | undefined {
  return isObject(body) ? textIn(body[outer], field) : undefined;
}

/** Returns a string field that must be there. Throws the code, retryable, when it is not. */
export function requiredText(body: unknown, field: string, code: ErrorCode): string {
  const value = textIn(body, field);
  if (value !== undefined) return value;
  throw incomplete(code, `no ${field}`);
}

/** Returns an address as `addressIn`. Throws the code, retryable, when there is none. */
export function requiredAddress(body: unknown, field: string, code: ErrorCode): string {
  const address = addressIn(body, field);
  if (address !== undefined) return address;
  throw incomplete(code, `no http(s) address in ${field}`);
}

/** Returns a number field that must be there. Throws the code, retryable, when it is not. */
export function requiredNumber(body: unknown, field: string, code: ErrorCode): number {
  const value = isObject(body) ? body[field] : undefined;
  if (typeof value === 'number') return value;
  throw incomplete(code, `no ${field}`);
}

/**
 * Returns the fields of an answer that must be an object. Throws the code, retryable, when it is none: what is taken
 * for empty then would show the variables of an application in its log, for example.
 */
export function requiredFields(body: unknown, code: ErrorCode): Fields {
  if (isObject(body)) return body;
  throw incomplete(code, 'no fields');
}

/** Returns the objects of an answer that must be a list. Throws the code, retryable, when it is none. */
export function requiredList(body: unknown, code: ErrorCode): readonly Fields[] {
  if (Array.isArray(body)) return body.filter(isObject);
  throw incomplete(code, 'no list');
}

/** Returns the objects of an answer that is a list. */
export function listOf(body: unknown): readonly Fields[] {
  return Array.isArray(body) ? body.filter(isObject) : [];
}

function incomplete(code: ErrorCode, lack: string): DeployError {
  return new DeployError(code, `The hosting provider's answer has ${lack}; try again.`, { retry: true });
}
