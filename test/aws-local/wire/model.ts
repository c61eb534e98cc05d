import { NormalizedSchema } from '@smithy/core/schema';

/** One operation of a service. */
export interface OperationModel {
  readonly name: string;
  /** Only of services that speak REST. The path has labels in braces. */
  readonly http?: { readonly method: string; readonly path: string; readonly status: number };
  readonly input: NormalizedSchema;
  readonly output: NormalizedSchema;
}

/** The model of a service: its operations with their inputs and outputs. */
export interface ServiceModel {
  readonly operations: ReadonlyMap<string, OperationModel>;
  /** Returns the HTTP status of an error of the service; undefined when the service has no such error. */
  statusOf(error: string): number | undefined;
}

/**
 * The kinds of schemas, by their first item: https://github.com/smithy-lang/smithy-typescript
 * (packages/types/src/schema)
 */
const OPERATION = 9;
const ERROR = -3;

/**
 * Reads the model of a service out of the SDK's client for it, which exports a schema for each operation and
 * shape.
 *
 * @param client the client's module, such as `await import('@aws-sdk/client-lambda')`
 */
export function readModel(client: object): ServiceModel {
  const schemas = Object.values(client).filter(isSchema);
  const operations = schemas.filter(([kind]) => kind === OPERATION).map(operationOf);
  const errors = schemas.filter(([kind]) => kind === ERROR).map((schema) => [schema[2], errorStatus(schema)] as const);
  const statuses = new Map(errors);
  return {
    operations: new Map(operations.map((operation) => [operation.name, operation])),
    statusOf: (error) => statuses.get(error),
  };
}

/** Kind, namespace, name, traits, and what belongs to the kind. */
type Schema = readonly [number, string, string, unknown, ...unknown[]];

function isSchema(value: unknown): value is Schema {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[2] === 'string';
}

function operationOf([, , name, traits, input, output]: Schema): OperationModel {
  const [method, path, status] = httpOf(traits);
  return {
    name,
    ...(method !== undefined && { http: { method: String(method), path: String(path), status: Number(status) } }),
    input: normalized(input),
    output: normalized(output),
  };
}

function httpOf(traits: unknown): readonly unknown[] {
  return typeof traits === 'object' && traits !== null && 'http' in traits && Array.isArray(traits.http)
    ? traits.http
    : [];
}

function errorStatus(schema: Schema): number {
  const { error, httpError } = normalized(schema).getMergedTraits();
  if (typeof httpError === 'number') return httpError;
  return error === 'server' ? 500 : 400;
}

function normalized(schema: unknown): NormalizedSchema {
  // The SDK types its own constants; what is read here by kind has lost that type.
  return NormalizedSchema.of(schema as Parameters<typeof NormalizedSchema.of>[0]);
}
