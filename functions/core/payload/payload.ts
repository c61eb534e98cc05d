import { DeployError } from '../errors.ts';
import { isObject, parseJson } from '../json.ts';

/** The largest body that is accepted, in bytes; the limit of API Gateway is twice that. */
export const MAX_PAYLOAD_BYTES = 5 * 1024 * 1024;

/** The refusal of too large a body, by this function, the engine and API Gateway. */
export const PAYLOAD_TOO_LARGE = 'The body is over the limit; have the sender leave out what the deploy does not need.';

/**
 * Returns the JSON object in the body of a webhook call, whatever its Content-Type. Senders use five layouts: plain
 * JSON; `{"payload": {…}}`; `{"payload": "<json>"}`; a form whose field `payload` is the JSON, with or without other
 * fields; and plain JSON that claims to be a form, which is what `curl -d @file` sends. A byte order mark is ignored,
 * and bytes that are not UTF-8 become U+FFFD.
 *
 * Throws `deploy:no_payload` (no bytes, blanks, `null` or `{}`, also inside a wrapper; a form without the field),
 * `deploy:provider:not_supported` (neither a JSON object nor a form) and `request:too_large`. No message quotes the
 * payload.
 */
export function readPayload(raw: Uint8Array, contentType: string | undefined): { body: unknown } {
  if (raw.byteLength > MAX_PAYLOAD_BYTES) {
    throw new DeployError('request:too_large', PAYLOAD_TOO_LARGE);
  }
  // trim() removes the byte order mark as well.
  const text = new TextDecoder().decode(raw).trim();
  if (text === '') throw noPayload('The body is empty.');
  if (isForm(text)) return { body: unwrap(readObject(payloadField(text).trim(), 'The form field payload')) };
  if (/^(?:[{["\dtfn]|-\d)/.test(text)) return { body: unwrap(readObject(text, 'The body')) };
  throw notSupported(
    `The body is neither a JSON object nor a form with the field payload; ${guess(raw, contentType)}.`,
  );
}

/** Whether a body is a form: it starts with the name of a field, as JSON, XML, multipart and prose do not. */
function isForm(text: string): boolean {
  return /^&*[\w.%+*[\]-]{1,200}=/.test(text);
}

/**
 * Returns the JSON of a call as its sender wrote it, for signatures over the JSON: the decoded form field `payload`, or
 * else the whole body. Throws `deploy:no_payload` for a form without the field.
 */
export function payloadText(raw: Uint8Array): string {
  const text = new TextDecoder().decode(raw);
  return isForm(text.trim()) ? payloadField(text.trim()) : text;
}

/**
 * Returns the decoded field `payload`. Only that field is decoded: URLSearchParams takes a second for a form of a
 * million empty fields.
 */
function payloadField(form: string): string {
  const start = form.startsWith('payload=') ? 0 : form.indexOf('&payload=') + 1;
  if (start === 0 && !form.startsWith('payload=')) throw noPayload('The form has no field payload.');
  const end = form.indexOf('&', start);
  return decodeField(form.slice(start + 'payload='.length, end === -1 ? undefined : end));
}

function unwrap(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(body, 'payload')) return body;
  const { payload } = body;
  if (payload === null) throw noPayload('The field payload is null.');
  if (typeof payload === 'string') return readObject(payload.trim(), 'The field payload');
  return requireObject(payload, 'The field payload');
}

function readObject(text: string, what: string): Readonly<Record<string, unknown>> {
  if (text === '') throw noPayload(`${what} is empty.`);
  // Refused before it is parsed: parsing a list of five megabytes takes a second.
  if (text.startsWith('[')) throw notAnObject(what, 'a list');
  const result = parseJson(text);
  if (result.ok) return requireObject(result.value, what);
  throw notSupported(`${what} ${result.problem}.`);
}

function requireObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (value === null) throw noPayload(`${what} is null.`);
  if (!isObject(value)) throw notAnObject(what, Array.isArray(value) ? 'a list' : `a ${typeof value}`);
  if (Object.keys(value).length === 0) throw noPayload(`${what} is an object without fields.`);
  return value;
}

/** Returns the apparent format of the body and how to send it instead, as the end of a sentence. */
function guess(raw: Uint8Array, contentType: string | undefined): string {
  const [first, second] = raw;
  if (first === 0x1f && second === 0x8b) return 'it is compressed; send it plain';
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (utf16 || raw.subarray(0, 4).includes(0)) return 'it seems to be UTF-16; send UTF-8';
  if (contentType?.toLowerCase().includes('multipart/')) return 'multipart forms are not read; send JSON';
  if (first === 0x3c) return 'it looks like XML; send JSON';
  return 'send JSON';
}

function notAnObject(what: string, found: string): DeployError {
  return notSupported(`${what} is ${found}; a webhook's payload is a JSON object.`);
}

function noPayload(detail: string): DeployError {
  return new DeployError(
    'deploy:no_payload',
    `${detail} Send the webhook's JSON as the body, or as the form field payload.`,
  );
}

function notSupported(detail: string): DeployError {
  return new DeployError('deploy:provider:not_supported', detail);
}

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Returns the decoded value of a form field (https://url.spec.whatwg.org/#urlencoded-parsing). `URLSearchParams` takes
 * a third of a second for five megabytes of `+`; this takes a tenth of that.
 */
export function decodeField(encoded: string): string {
  const from = new TextEncoder().encode(encoded);
  const to = new Uint8Array(from.length);
  let length = 0;
  for (let at = 0; at < from.length; at += 1) {
    const byte = from[at] ?? 0;
    const high = byte === PERCENT ? hexDigit(from[at + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(from[at + 2]);
    if (low >= 0) at += 2;
    to[length] = low >= 0 ? high * 16 + low : byte === PLUS ? SPACE : byte;
    length += 1;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(to.subarray(0, length));
}

/** Returns the value of a hex digit; -1 for anything else, where the percent sign is literal. */
function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
