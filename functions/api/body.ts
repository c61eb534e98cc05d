import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { HttpRequest } from './http.ts';

type Body = Pick<HttpRequest, 'body'>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the JSON of a body. Throws what `refused` makes of its problem, the rest of a sentence that begins with "The
 * body" and does not quote it.
 */
export function jsonIn({ body }: Body, refused: (problem: string) => DeployError): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw refused('is not UTF-8');
  }
  const result = parseJson(text);
  if (result.ok) return result.value;
  throw refused(result.problem);
}

/**
 * Whether the content type is JSON. A page of another site can make a logged-in browser send a form, and so pair its own
 * account with the visitor's, but not JSON: https://fetch.spec.whatwg.org/#cors-safelisted-request-header
 */
export function isLabelledJson({ 'content-type': type = '' }: HttpRequest['headers']): boolean {
  return /^application\/(?:[\w.-]+\+)?json(?:\s*;|\s*$)/i.test(type);
}

/** Returns the object in a body; an empty one for any other body. Throws `request:too_large`. */
export function fieldsIn({ body }: Body, maxKiB: number): Readonly<Record<string, unknown>> {
  if (body.byteLength > maxKiB * 1024) {
    throw new DeployError('request:too_large', `The body has more than ${maxKiB} KiB.`);
  }
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}
