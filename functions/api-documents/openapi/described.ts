import type { ErrorCode } from '../../core/errors.ts';
import type { Answer, Operation, Parameter, Ref, RequestBody, Schema } from './types.ts';

/**
 * The description of an endpoint, except for what follows from its route and from the error table: `parameters` are
 * those besides the variables of its path.
 */
export interface Described extends Pick<Operation, 'operationId' | 'summary' | 'description' | 'parameters'> {
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Besides those of the login and of every endpoint. */
  readonly codes: readonly ErrorCode[];
}

export function schema(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameter(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}

export function header(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

export function json(description: string, name: string, headers: Answer['headers'] = {}): Answer {
  return { description, headers, content: { 'application/json': { schema: schema(name) } } };
}

/** Returns an answer with a JSON object of that schema on each line; empty lines keep the connection open. */
export function lines(description: string, name: string): Answer {
  return { description, content: { 'application/x-ndjson': { schema: schema(name) } } };
}

export function jsonBody(description: string, name: string): RequestBody {
  return { description, required: true, content: { 'application/json': { schema: schema(name) } } };
}

export function query(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'query', description, schema };
}

export function pageParameters(what: string, presetLimit: number): NonNullable<Described['parameters']> {
  return [
    query('limit', `${what} of a page; it has fewer when more would not fit into 6 MB.`, {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: presetLimit,
    }),
    query('skip', `${what} before the page.`, { type: 'integer', minimum: 0, default: 0 }),
  ];
}
