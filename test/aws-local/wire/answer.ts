import type { Warn } from '../invoke/invoker.ts';
import { callsOf } from '../permissions/calls/by-call.ts';
import type { Guard } from '../permissions/guard.ts';
import { type OperationModel, readModel, type ServiceModel } from './model.ts';
import { matchOperation, parseBody, readInput, type WireRequest, type WireResponse, writeOutput } from './rest.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service.ts';
import { convert, ShapeError } from './shapes.ts';

/** Answers the requests to a service that are meant for it. */
export interface Answerer {
  /** Whether the request is one of this service. */
  takes(request: WireRequest): boolean;
  /** @param caller the access key id of who has signed the request */
  answer(request: WireRequest, caller: string): Promise<WireResponse>;
}

/** Options of an answer. */
export interface AnswerOptions {
  readonly warn: Warn;
  readonly guard: Guard;
}

/** The caller's role does not allow the call. */
export class Denied extends Error {
  override readonly name = 'Denied';
}

interface Call {
  readonly model: OperationModel;
  readonly input: object;
}

/**
 * Returns what answers requests to a service. Whatever the service's model does not allow, and what the emulator does
 * not do, is refused and warned of: a mistake must not be found on AWS only.
 */
export function answerer(service: Service, { warn, guard }: AnswerOptions): Answerer {
  let loading: Promise<ServiceModel> | undefined;
  const model = () => (loading ??= service.load().then(readModel));
  return {
    takes: ({ headers }) => {
      const target = headers['x-amz-target'];
      return service.target === undefined ? target === undefined : `${target}`.startsWith(`${service.target}.`);
    },
    answer: async (request, caller) => {
      const loaded = await model();
      try {
        const call = readCall(service, loaded, request);
        const demand = (input: object) => check(guard, caller, callsOf(service.name, call.model.name, input));
        return writeAnswer(service, call.model, await run(service, call, demand));
      } catch (error) {
        return refuse({ service, model: loaded, warn }, error);
      }
    },
  };
}

function readCall(service: Service, model: ServiceModel, request: WireRequest): Call {
  if (service.target === undefined) {
    const match = matchOperation(model, request);
    if (!match)
      throw new ShapeError(`${request.method} ${request.url.split('?')[0]} is not an operation of the service`);
    return { model: match.operation, input: readInput(match, request) };
  }
  const name = String(request.headers['x-amz-target']).slice(service.target.length + 1);
  const operation = model.operations.get(name);
  if (!operation) throw new ShapeError(`${name} is not an operation of the service`);
  return { model: operation, input: parseBody(request.body) };
}

function check(guard: Guard, caller: string, calls: ReturnType<typeof callsOf>): void {
  const denial = guard.denial(caller, calls);
  if (denial !== undefined) throw new Denied(denial);
}

async function run(service: Service, { model, input }: Call, demand: (input: object) => void): Promise<object> {
  const operation = Object.hasOwn(service.operations, model.name) ? service.operations[model.name] : undefined;
  if (!operation) throw new ShapeError(`${model.name} is not emulated`);
  const decoded = convert(model.input, input, 'decode', model.name);
  const members = typeof decoded === 'object' && decoded !== null ? decoded : {};
  demand(members);
  const other = Object.keys(members).find((name) => !operation.takes.includes(name));
  if (other !== undefined) throw new ShapeError(`${model.name}.${other} is not emulated`);
  return operation.run(members);
}

function writeAnswer(service: Service, model: OperationModel, output: object): WireResponse {
  const encoded = model.output.isUnitSchema()
    ? {}
    : convert(model.output, output, 'encode', `the answer to ${model.name}`);
  const members = Object.fromEntries(Object.entries(encoded ?? {}));
  if (service.target === undefined) return writeOutput(model, members);
  return { status: 200, headers: JSON_1_1, body: JSON.stringify(members) };
}

const JSON_1_1 = { 'content-type': 'application/x-amz-json-1.1' };

interface Refusing {
  readonly service: Service;
  readonly model: ServiceModel;
  readonly warn: Warn;
}

function refuse({ service, model, warn }: Refusing, error: unknown): WireResponse {
  const status = error instanceof ServiceError ? model.statusOf(error.type) : undefined;
  if (error instanceof ServiceError && status !== undefined) {
    return errorAnswer(service, error, status);
  }
  // The guard has warned of it.
  if (error instanceof Denied) {
    const status = service.target === undefined ? 403 : 400;
    return errorAnswer(service, { type: 'AccessDeniedException', message: error.message }, status);
  }
  const reason = error instanceof Error ? error.message : String(error);
  warn(`A call to ${service.name} was refused on this machine: ${reason}.`);
  const isMistake = error instanceof ShapeError;
  const type = isMistake ? 'ValidationException' : 'InternalFailure';
  return errorAnswer(service, { type, message: reason }, isMistake ? 400 : 500);
}

type Refused = Pick<ServiceError, 'type' | 'message'> & Partial<Pick<ServiceError, 'members'>>;

function errorAnswer(service: Service, { type, message, members }: Refused, status: number): WireResponse {
  const headers =
    service.target === undefined ? { 'content-type': 'application/json', 'x-amzn-errortype': type } : JSON_1_1;
  return { status, headers, body: JSON.stringify({ __type: type, message, Message: message, ...members }) };
}
