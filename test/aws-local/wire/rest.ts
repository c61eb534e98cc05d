import type { NormalizedSchema } from '@smithy/core/schema';
import type { OperationModel, ServiceModel } from './model.ts';
import { ShapeError } from './shapes.ts';

/** A request as it came. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** An answer to send. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** An operation that a request names, and the values of the labels of its path. */
export interface RestMatch {
  readonly operation: OperationModel;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Returns the operation with the request's method and path; undefined when the service has none. Of those with the same
 * path it is the one that asks for these parameters: `/2018-10-31/layers?find=LayerVersion`.
 */
export function matchOperation(model: ServiceModel, { method, url }: WireRequest): RestMatch | undefined {
  const [path = ''] = url.split('?');
  const matches: (RestMatch & { readonly fixed: number })[] = [];
  for (const operation of model.operations.values()) {
    if (operation.http?.method !== method) continue;
    const [template = ''] = operation.http.path.split('?');
    const labels = labelsOf(template, path);
    const fixed = [...parametersOf(operation.http.path)];
    const asked = parametersOf(url);
    if (labels && fixed.every(([name, value]) => asked.get(name) === value))
      matches.push({ operation, labels, fixed: fixed.length });
  }
  return matches.sort((one, other) => other.fixed - one.fixed)[0];
}

function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '');
}

function labelsOf(template: string, path: string): Record<string, string> | undefined {
  const expected = segments(template);
  const given = segments(path);
  if (expected.length !== given.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = decodeURIComponent(given[index] ?? '');
    const [, label] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (label !== undefined) labels[label] = value;
    else if (segment !== value) return undefined;
  }
  return labels;
}

function segments(path: string): string[] {
  // Some paths of Lambda end in a slash, which its clients do not always send.
  return path.replace(/\/+$/, '').split('/');
}

/**
 * Returns the members of an input from where they are in a request: path, query, headers and body.
 *
 * @throws ShapeError for a query parameter that the operation does not have, and a body that is not JSON
 * @see https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
export function readInput({ operation, labels }: RestMatch, request: WireRequest): Record<string, unknown> {
  const query = parametersOf(request.url);
  for (const name of parametersOf(operation.http?.path ?? '').keys()) query.delete(name);
  const input: Record<string, unknown> = {};
  let payload: string | undefined;
  for (const [name, member] of operation.input.structIterator()) {
    const traits = member.getMergedTraits();
    if (traits.httpPayload) payload = name;
    else if (traits.httpLabel) input[name] = labels[name];
    else if (traits.httpQuery) input[name] = fromText(member, query.get(traits.httpQuery));
    else if (traits.httpHeader) input[name] = fromText(member, request.headers[traits.httpHeader.toLowerCase()]);
    if (traits.httpQuery) query.delete(traits.httpQuery);
  }
  const [unknown] = query.keys();
  if (unknown !== undefined) throw new ShapeError(`the query parameter ${unknown} is not in the model of the service`);
  if (payload !== undefined) return { ...input, [payload]: request.body };
  return { ...parseBody(request.body), ...input };
}

function fromText(member: NormalizedSchema, text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  if (member.isNumericSchema()) return Number(text);
  return member.isBooleanSchema() ? text === 'true' : text;
}

/** Returns the object in a JSON body; an empty body is an empty object. */
export function parseBody(body: Buffer): object {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below without the body, which may hold a secret.
  }
  throw new ShapeError('the body is not a JSON object');
}

/** Returns the answer whose parts an output's members are: status, headers and body. */
export function writeOutput(operation: OperationModel, output: Record<string, unknown>): WireResponse {
  const headers: Record<string, string> = {};
  const document: Record<string, unknown> = {};
  let status = operation.http?.status ?? 200;
  let payload: Buffer | undefined;
  for (const [name, member] of operation.output.structIterator()) {
    const value = output[name];
    const traits = member.getMergedTraits();
    if (value === undefined) continue;
    if (traits.httpResponseCode) status = Number(value);
    else if (traits.httpHeader) headers[traits.httpHeader.toLowerCase()] = String(value);
    else if (traits.httpPayload) payload = Buffer.from(String(value), 'base64');
    else document[name] = value;
  }
  if (payload) return { status, headers, body: payload };
  const isEmpty = status === 204 || operation.output.isUnitSchema();
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: isEmpty ? '' : JSON.stringify(document),
  };
}
