import type { ErrorCode } from '../../core/errors.ts';
import type { Content, Header, Parameter, Ref, RequestBody, Schema } from './types.ts';

/** The description of an endpoint, except for what follows from its route and from the error table. */
export interface Described {
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Besides the variables of the path. */
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
  /** Besides those of the login and of every endpoint. */
  readonly codes: readonly ErrorCode[];
}

export type Tag = 'deploy' | 'status' | 'applications' | 'login' | 'documents';

/** A successful answer. */
interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Ref>>;
  readonly content?: Content;
}

/** Returns the reference to a schema of the document. */
export function schema(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the reference to a parameter of the document. */
export function parameter(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}

/** Returns the reference to a header of the document. */
export function header(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

/** Returns an answer with a JSON body of that schema. */
export function json(description: string, name: string, headers: DescribedAnswer['headers'] = {}): DescribedAnswer {
  return { description, headers, content: { 'application/json': { schema: schema(name) } } };
}

/** Returns an answer with a JSON object of that schema on each line; empty lines keep the connection open. */
export function lines(description: string, name: string): DescribedAnswer {
  return { description, content: { 'application/x-ndjson': { schema: schema(name) } } };
}

/** Returns a query parameter. */
export function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema };
}

/** Returns the parameters of a list that is answered in pages. */
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
