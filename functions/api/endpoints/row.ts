import type { ErrorCode } from '../../core/errors.ts';
import type { Answer, Operation, Parameter, Ref, RequestBody, Schema } from './openapi.ts';

/**
 * One endpoint: the function that answers it, its login, and what OpenAPI says of it except for what follows from these
 * and from the error table. `parameters` are those besides the variables of its path.
 */
export interface Row extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  readonly parameters?: readonly Parameter[];
  /** Name of the function, and of its folder under `functions/`. */
  readonly function: string;
  /**
   * `user`, the default, refuses with `mw:auth:*` and, where the path has a `{user}`, allows that user only; `deploy`
   * refuses with `deploy:auth:bad_creds`; `none` requires nothing.
   */
  readonly login?: 'deploy' | 'user' | 'none';
  /** What an API token with limited rights must have; by default `read` for `GET`, and `all`, which none of them has. */
  readonly needs?: 'read' | 'deploy' | 'all';
  /** Whether the response is streamed, for up to 15 minutes. */
  readonly streams?: true;
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Besides those of every endpoint, and those that follow from the login, the path, the query and the body. */
  readonly codes?: readonly ErrorCode[];
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Rows by method and path, with the variables of the path in braces and without a slash at its end. */
export type Endpoints = Readonly<Record<`${Method} /${string}`, Row>>;

export function schema(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function header(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

export function json(description: string, name: string, headers: Answer['headers'] = {}): Answer {
  return { description, headers, content: { 'application/json': { schema: schema(name) } } };
}

/** Returns an answer with a JSON object of that schema on each line; empty lines keep the connection open. */
export function ndjson(description: string, name: string): Answer {
  return { description, content: { 'application/x-ndjson': { schema: schema(name) } } };
}

export function jsonBody(description: string, name: string): RequestBody {
  return { description, required: true, content: { 'application/json': { schema: schema(name) } } };
}
