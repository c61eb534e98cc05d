import { badParameter } from '../core/errors.ts';
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

/** Returns a parameter with one of a few words. */
/* @__NO_SIDE_EFFECTS__ */
function choice<const Word extends string>(name: string, description: string, words: readonly Word[], preset: Word) {
  return query(name, description, { type: 'string', enum: words, default: preset });
}

const DOCS = 'Whether entries carry `doc`; `auto`: those that have something to explain.';
export const includeDocs = choice('include_docs', DOCS, ['true', 'false', 'auto'], 'false');

const FOLLOW = 'Whether the answer goes on with what is printed from then on.';
export const follow = choice('follow', FOLLOW, ['', 'true', 'false'], 'false');

export const restart = choice('restart', 'Whether the application is restarted.', ['true', 'false'], 'true');

const PREVIEWS = 'Whether previews of the application get the variables too, from their next deploy on.';
export const previews = choice('previews', PREVIEWS, ['true', 'false'], 'false');

export const values = choice('values', 'Whether the values are shown.', ['true', 'false'], 'false');

const FEED = '`longpoll` answers with the first changes, `normal` with what there is.';
export const feed = choice('feed', FEED, ['continuous', 'longpoll', 'normal'], 'continuous');

export const app = query('app', 'The application that the token is for, by its name in package.json; without it all.');

/** The parameters of the address of a webhook. */
export const hook = {
  branch: query(
    'branch',
    'The branch that is deployed; by default the one that the service is configured with, for a build of a repository of the service the default branch of that.',
  ),
  path: query('path', 'The folder of the application in the repository, such as `packages/web`; by default its root.', {
    type: 'string',
    maxLength: 250,
  }),
  environment: query(
    'environment',
    'The application is `<name>-<environment>`, with variables, address, badge and log of its own: letters, digits and single dashes, such as `staging`. Not with `previews`.',
    { type: 'string', maxLength: 40 },
  ),
  ci: query('ci', '`wait`: every push waits for CI; `ignore`: none does. By default the repository decides.', {
    type: 'string',
    enum: ['wait', 'ignore'],
  }),
  previews: query(
    'previews',
    '`true`: each pull request is deployed as an application of its own too; `ci`: when its commit has passed CI.',
    { type: 'string', enum: ['true', 'ci'] },
  ),
};

export const to = query('to', 'The id of an entry in `rollback` of the application; by default the one before.');

const REF = 'A branch, or the whole id of a commit; by default the branch that the application follows.';
export const ref = query('ref', REF);

const REDIRECT = 'The domain of the application to which it redirects, with the same path; by default it is served.';
export const redirect = query('redirect', REDIRECT);

const PROCESS = 'The lines of this process (`worker.1`), or of all of this type (`worker`), only.';
export const process = query('process', PROCESS);

const GREP =
  'Searches the stored output for lines that have this text, in whatever case: newest first, at most `lines`. Not with `follow`.';
export const grep = query('grep', GREP, { type: 'string', minLength: 1, maxLength: 200 });

export const before = query('before', 'The `next` of an earlier search, with the same `grep`: goes on there.');

export const since = query('since', 'A `seq`, `0` for all that is kept, or `now`.', {
  type: 'string',
  pattern: '^(now|[0-9]{1,12})$',
  default: 'now',
});

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

interface Choice<Word, Preset = undefined> extends Pick<Parameter, 'name'> {
  readonly schema: { readonly enum: readonly Word[]; readonly default?: Preset };
}

/**
 * Returns one of the words of a parameter; undefined for none without a default. Throws `request:bad_parameter`, naming
 * the parameter.
 */
export function oneOf<Word extends string, Preset extends Word | undefined = undefined>(
  query: Query,
  { name, schema }: Choice<Word, Preset>,
): Word | Preset {
  const text = query[name];
  if (text === undefined) return schema.default as Preset;
  const chosen = schema.enum.find((word) => word === text);
  if (chosen !== undefined) return chosen;
  const words = [...new Set([...(schema.default === undefined ? [] : [schema.default]), ...schema.enum])];
  throw badParameter(`The parameter ${name} must be ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}.`);
}

/** Returns whether a flag is set: `?name` means `?name=true`. Throws `request:bad_parameter`, naming the parameter. */
export function flag(query: Query, { name }: Pick<Parameter, 'name'>): boolean {
  const text = query[name] === '' ? 'true' : query[name];
  return oneOf({ [name]: text }, { name, schema: { enum: ['false', 'true'], default: 'false' } }) === 'true';
}
