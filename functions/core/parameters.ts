import type { IncludeDocs } from './entry/views.ts';
import { DeployError } from './errors.ts';
import { isObject, parseJson } from './json.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Returns a whole number of the query within a range. Throws `request:bad_parameter`, naming the parameter. */
export function wholeNumber(query: Query, name: string, range: { preset: number; from: number; to: number }): number {
  const text = query[name];
  if (text === undefined) return range.preset;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  const upTo = range.to === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${range.to}`;
  throw new DeployError(
    'request:bad_parameter',
    `The parameter ${name} must be a whole number, ${range.from} ${upTo}.`,
  );
}

/** Returns `include_docs` of the query. Throws `request:bad_parameter`. */
export function includeDocs(query: Query): IncludeDocs {
  const text = query.include_docs ?? 'false';
  if (text === 'true' || text === 'false' || text === 'auto') return text;
  throw new DeployError('request:bad_parameter', 'The parameter include_docs must be true, false or auto.');
}

/** Returns one of a few words; the first is the default. Throws `request:bad_parameter`, naming the parameter. */
export function oneOf<Word extends string>(query: Query, name: string, words: readonly [Word, ...Word[]]): Word {
  const text = query[name] ?? words[0];
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new DeployError('request:bad_parameter', `The parameter ${name} must be one of ${words.join(', ')}.`);
}

/** Returns whether a flag is set: `?name` means `?name=true`. Throws `request:bad_parameter`, naming the parameter. */
export function flag(query: Query, name: string): boolean {
  const text = query[name] === '' ? 'true' : query[name];
  return oneOf({ [name]: text }, name, ['false', 'true']) === 'true';
}

/** The longest wait: API Gateway times out after 29 seconds. */
const MAX_WAIT_SECONDS = 25;

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), at most 25; null without that preference. */
export function preferredWait(header: string | undefined): number | null {
  const wait = header
    ?.split(',')
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return wait === undefined ? null : Math.min(Number(wait), MAX_WAIT_SECONDS);
}

/** Returns the object in a body; an empty one for any other body. Throws `request:too_large`. */
export function fieldsIn({ body }: { readonly body: Uint8Array }, maxKiB: number): Readonly<Record<string, unknown>> {
  if (body.byteLength > maxKiB * 1024) {
    throw new DeployError('request:too_large', `The body has more than ${maxKiB} KiB.`);
  }
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}
