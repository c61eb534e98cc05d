import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';

interface Body {
  readonly body: Uint8Array;
}

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

/** Returns the object in a body; an empty one for any other body. Throws `request:too_large`. */
export function fieldsIn({ body }: Body, maxKiB: number): Readonly<Record<string, unknown>> {
  if (body.byteLength > maxKiB * 1024) {
    throw new DeployError('request:too_large', `The body has more than ${maxKiB} KiB.`);
  }
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}
