import { DeployError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { Parameter, Schema } from './endpoints/openapi.ts';

/** Returns a parameter of the query: by its schema OpenAPI shows it, and the endpoint reads it. */
export function query<const S extends Schema = { readonly type: 'string' }>(
  name: string,
  description: string,
  schema?: S,
): Omit<Parameter, 'schema'> & { readonly schema: S };
// A bundle has those alone that it reads: https://esbuild.github.io/api/#ignore-annotations
/* @__NO_SIDE_EFFECTS__ */
export function query(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'query', description, schema };
}

export const includeDocs = query(
  'include_docs',
  'Whether entries carry `doc`; `auto`: those that have something to explain.',
  { type: 'string', enum: ['true', 'false', 'auto'], default: 'false' },
);

export const follow = query('follow', 'Whether the answer goes on with what is printed from then on.', {
  type: 'string',
  enum: ['', 'true', 'false'],
  default: 'false',
});

export const restart = query('restart', 'Whether the application is restarted.', {
  type: 'string',
  enum: ['true', 'false'],
  default: 'true',
});

export const previews = query(
  'previews',
  'Whether previews of the application get the variables too, from their next deploy on.',
  { type: 'string', enum: ['true', 'false'], default: 'false' },
);

export const values = query('values', 'Whether the values are shown.', {
  type: 'string',
  enum: ['true', 'false'],
  default: 'false',
});

export const app = query('app', 'The application that the token is for, by its name in package.json; without it all.');

export const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  description:
    '`wait=N` (RFC 7240) answers with the outcome, after at most N seconds, up to 25; at once beyond the open streams of a user.',
  schema: { type: 'string' },
};

export const clean = query('clean', 'Whether its build reuses nothing of earlier ones.', {
  type: 'boolean',
  default: false,
});

export const lines = query('lines', 'The last lines to begin with.', {
  type: 'integer',
  minimum: 0,
  maximum: 1000,
  default: 100,
});

export const feed = query('feed', '`longpoll` answers with the first changes, `normal` with what there is.', {
  type: 'string',
  enum: ['continuous', 'longpoll', 'normal'],
  default: 'continuous',
});

/**
 * API Gateway ends a stream without data for five minutes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
export const MAX_HEARTBEAT_MS = 240_000;

export const heartbeat = query(
  'heartbeat',
  `Milliseconds between empty lines; more than ${MAX_HEARTBEAT_MS} counts as that.`,
  { type: 'integer', minimum: 10, default: 15_000 },
);

export const maxRows = query('limit', 'Rows after which the stream ends.', { type: 'integer', minimum: 1 });

type Query = Readonly<Record<string, string | undefined>>;

interface WholeNumber extends Pick<Parameter, 'name'> {
  readonly schema: { readonly minimum: number; readonly maximum?: number; readonly default?: number };
}

type WithDefault = WholeNumber & { readonly schema: { readonly default: number } };

/** Returns a whole number of the query; undefined for none without a default. Throws `request:bad_parameter`, naming it. */
export function wholeNumber(query: Query, parameter: WithDefault): number;
export function wholeNumber(query: Query, parameter: WholeNumber): number | undefined;
export function wholeNumber(query: Query, { name, schema }: WholeNumber): number | undefined {
  const text = query[name];
  if (text === undefined) return schema.default;
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  const upTo = schema.maximum === undefined ? 'or more' : `to ${maximum}`;
  throw badParameter(`The parameter ${name} must be a whole number, ${minimum} ${upTo}.`);
}

interface Choice<Word> extends Pick<Parameter, 'name'> {
  readonly schema: { readonly enum: readonly Word[]; readonly default: Word };
}

/** Returns one of the words of a parameter. Throws `request:bad_parameter`, naming the parameter. */
export function oneOf<Word extends string>(query: Query, { name, schema }: Choice<Word>): Word {
  const text = query[name] ?? schema.default;
  const found = schema.enum.find((word) => word === text);
  if (found !== undefined) return found;
  const others = schema.enum.filter((word) => word !== schema.default);
  throw badParameter(`The parameter ${name} must be one of ${[schema.default, ...others].join(', ')}.`);
}

/** Returns whether a flag is set: `?name` means `?name=true`. Throws `request:bad_parameter`, naming the parameter. */
export function flag(query: Query, { name }: Pick<Parameter, 'name'>): boolean {
  const text = query[name] === '' ? 'true' : query[name];
  return oneOf({ [name]: text }, { name, schema: { enum: ['false', 'true'], default: 'false' } }) === 'true';
}

/** Returns the object in a body; an empty one for any other body. Throws `request:too_large`. */
export function fieldsIn({ body }: { readonly body: Uint8Array }, maxKiB: number): Readonly<Record<string, unknown>> {
  if (body.byteLength > maxKiB * 1024) {
    throw new DeployError('request:too_large', `The body has more than ${maxKiB} KiB.`);
  }
  const json = parseJson(new TextDecoder().decode(body));
  return json.ok && isObject(json.value) ? json.value : {};
}

function badParameter(detail: string): DeployError {
  return new DeployError('request:bad_parameter', detail);
}
