import type { HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';

/** Far more than a platform stores; it has a limit of its own for all variables of an application together. */
const MAX_BODY_BYTES = 256 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value in a body: a JSON string, or `{"value": "…"}`. Throws `request:bad_parameter` and
 * `request:too_large`. No message quotes the body.
 */
export function valueIn({ body }: Pick<HttpRequest, 'body'>): string {
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new DeployError('request:too_large', `A variable has less than ${MAX_BODY_BYTES / 1024} KiB.`);
  }
  const json = jsonIn(body);
  const value = isObject(json) ? json.value : json;
  if (typeof value !== 'string') throw unreadable('has no string');
  if (value.includes('\0')) throw unreadable('has a NUL character in its string');
  return value;
}

function jsonIn(body: Uint8Array): unknown {
  const result = parseJson(decoded(body));
  if (result.ok) return result.value;
  throw unreadable(result.problem);
}

function decoded(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unreadable('is not UTF-8');
  }
}

function unreadable(problem: string): DeployError {
  const detail = `The body ${problem}. Send the value as JSON: {"value": "…"}, or the string alone in double quotes.`;
  return new DeployError('request:bad_parameter', detail);
}
