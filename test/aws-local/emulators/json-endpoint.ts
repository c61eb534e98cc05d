import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { identify } from '../access/check.mjs';
import type { Call, Guard } from '../permissions/guard.mjs';
import { OPERATOR_ONLY } from '../permissions/operator.ts';

/** An operation's input, parsed from JSON. */
export type Input = Readonly<Record<string, unknown>>;

/** Operations by their `X-Amz-Target`, such as `TrentService.Encrypt`. */
export type Operations = ReadonlyMap<string, (input: Input) => object>;

/** An error of the service; SDK clients throw one of that name. */
export class ServiceError extends Error {
  constructor(
    readonly type: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** The callers of an endpoint, and the permissions that its operations need. */
export interface Checks {
  readonly guard: Guard;
  readonly callsOf: (target: string, input: Input) => readonly Call[] | undefined;
}

/** A running endpoint. */
export interface JsonEndpoint {
  readonly endpoint: string;
  close(): Promise<void>;
}

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const MAX_BODY_BYTES = 1024 * 1024;

const NO_CALLERS: Checks = { guard: OPERATOR_ONLY, callsOf: () => undefined };

/**
 * Serves operations over the AWS JSON 1.1 protocol on a free port of 127.0.0.1, for requests that are signed by who may
 * call them; by default, only the operator.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export async function startJsonEndpoint(operations: Operations, checks: Checks = NO_CALLERS): Promise<JsonEndpoint> {
  const server = createServer((request, response) => {
    answer(response, outcome(operations, checks, request)).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { endpoint: addressOf(server), close: () => close(server) };
}

/** Returns a field of the input; throws ValidationException when it is not a string. */
export function text(input: Input, field: string): string {
  const value = input[field];
  if (typeof value !== 'string' || value === '') throw new ServiceError('ValidationException', `${field} is missing.`);
  return value;
}

async function answer(response: ServerResponse, outcome: Promise<Outcome>): Promise<void> {
  const { status, body } = await outcome;
  response.writeHead(status, { 'content-type': CONTENT_TYPE }).end(JSON.stringify(body));
}

interface Outcome {
  readonly status: number;
  readonly body: object;
}

async function outcome(operations: Operations, { guard, callsOf }: Checks, request: IncomingMessage): Promise<Outcome> {
  try {
    const body = await readBody(request);
    const { caller, refusal } = await identify(request, guard, body);
    if (refusal !== undefined) throw new ServiceError('InvalidSignatureException', `Refused: ${refusal}.`, 403);
    const target = `${request.headers['x-amz-target']}`;
    const operation = operations.get(target);
    if (!operation) throw unknownOperation(request);
    const input = parse(body.toString('utf8'));
    const denial = guard.denial(caller, callsOf(target, input));
    if (denial !== undefined) throw new ServiceError('AccessDeniedException', denial);
    return { status: 200, body: operation(input) };
  } catch (error) {
    if (error instanceof ServiceError) {
      return { status: error.status, body: { __type: error.type, message: error.message } };
    }
    return { status: 500, body: { __type: 'InternalServiceError', message: 'The operation failed.' } };
  }
}

function unknownOperation(request: IncomingMessage): ServiceError {
  const { method, url, headers } = request;
  const operation = headers['x-amz-target'] ?? `${method} ${url}`;
  return new ServiceError('UnknownOperationException', `No emulator has the operation ${operation}.`);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new ServiceError('ValidationException', 'The request is too large.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function parse(body: string): Input {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Reported below without the body, which may hold a secret.
  }
  throw new ServiceError('SerializationException', 'The request is not a JSON object.');
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
