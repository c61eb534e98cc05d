import type { InvocationRequest } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { Throttled } from '../invoke/function-error.ts';
import type { Concurrency } from '../strict/concurrency.ts';
import { ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { CodeStore } from './code.ts';
import { type FunctionRecord, type FunctionStore, revisionOf, versionOf } from './function-store.ts';
import type { Outcome, Runner } from './runner.ts';
import { hasHandler } from './settings-of.ts';
import { type AdapterError, MAX_PAYLOAD_BYTES, type ServerRequest, type Sink } from './web-adapter.ts';

/** Runs functions: for Invoke and for function URLs. */
export interface Invocations {
  /** Begins a function with a handler, asynchronously. Throws as `run`. */
  begin(record: FunctionRecord, event: string): void;
  /**
   * Invokes the version that a qualifier names at this moment.
   *
   * @throws ServiceError TooManyRequestsException, ResourceConflictException
   */
  run(record: FunctionRecord, qualifier: string | undefined, request: ServerRequest, sink: Sink): Promise<Outcome>;
}

interface InvocationParts {
  readonly code: CodeStore;
  readonly runner: Runner;
  readonly concurrency: Concurrency;
}

/** Opens the invocations of the functions of a store. */
export function openInvocations({ code, runner, concurrency }: InvocationParts): Invocations {
  const runnable = (record: FunctionRecord, qualifier?: string) => {
    const { settings, isNew, busyUntil } = revisionOf(record, qualifier);
    if (isNew && Date.now() < busyUntil) {
      throw new ServiceError(
        'ResourceConflictException',
        'The operation cannot be performed at this time. The function is currently in the following state: Pending',
      );
    }
    const version = versionOf(record, qualifier);
    return { name: record.name, version, settings, folder: code.folderOf(settings.code) };
  };
  return {
    begin: (record, event) => {
      const called = runnable(record);
      void runner.call(called, event).finally(placeFor(record.name, concurrency));
    },
    run: async (record, qualifier, request, sink) => {
      const called = runnable(record, qualifier);
      const giveBack = placeFor(record.name, concurrency);
      try {
        return await runner.invoke(called, request, sink);
      } finally {
        giveBack();
      }
    },
  };
}

function placeFor(name: string, concurrency: Concurrency): () => void {
  try {
    return concurrency.take(name);
  } catch (error) {
    if (!(error instanceof Throttled)) throw error;
    const Reason = `${error.isOfFunction ? 'ReservedFunctionConcurrent' : 'Concurrent'}InvocationLimitExceeded`;
    throw new ServiceError('TooManyRequestsException', 'Rate Exceeded.', { Reason });
  }
}

/** The length of the log that an invocation returns. */
const LOG_TAIL_BYTES = 4096;

/** Lambda's Invoke, for functions behind the web adapter. */
export async function invokeFunction(store: FunctionStore, invocations: Invocations, input: InvocationRequest) {
  const record = store.get(input.FunctionName);
  const isAsynchronous = input.InvocationType === 'Event';
  const { settings } = revisionOf(record, input.Qualifier);
  if (hasHandler(settings) !== isAsynchronous || input.InvocationType === 'DryRun') {
    throw new ShapeError(`the invocation type ${input.InvocationType} of ${settings.handler} is not emulated`);
  }
  if (isAsynchronous) {
    if (!record.runsOnce) throw new ShapeError('an asynchronous invocation that is repeated is not emulated');
    invocations.begin(record, Buffer.from(input.Payload ?? []).toString('utf8'));
    return { StatusCode: 202 };
  }
  const version = versionOf(record, input.Qualifier);
  const parts: Buffer[] = [];
  const outcome = await invocations.run(record, input.Qualifier, parseEvent(input.Payload), {
    mostBytes: MAX_PAYLOAD_BYTES,
    // The payload is the whole stream: the head, NULs, the body.
    begin: (head) => void parts.push(Buffer.from(JSON.stringify(head)), Buffer.alloc(8)),
    write: async (chunk) => void parts.push(chunk),
  });
  return {
    StatusCode: 200,
    ExecutedVersion: version,
    ...(outcome.error && { FunctionError: 'Unhandled' }),
    ...(input.LogType === 'Tail' && { LogResult: tailOf(outcome.lines) }),
    Payload: outcome.error
      ? Buffer.from(JSON.stringify(errorOf(outcome.error, outcome.requestId)))
      : Buffer.concat(parts),
  };
}

/** What is emulated of an event of a function URL, in the payload format 2.0. */
const UrlEvent = v.looseObject({
  version: v.literal('2.0'),
  rawPath: v.string(),
  rawQueryString: v.literal(''),
  headers: v.record(v.string(), v.string()),
  requestContext: v.looseObject({ http: v.looseObject({ method: v.string() }) }),
  body: v.optional(v.literal('')),
});

function parseEvent(payload: Uint8Array = new Uint8Array()): ServerRequest {
  const event = v.safeParse(v.pipe(v.string(), v.parseJson(), UrlEvent), Buffer.from(payload).toString());
  if (!event.success) throw new ShapeError('only the event of a function URL without query and body is emulated');
  const { rawPath: path, headers, requestContext } = event.output;
  return { method: requestContext.http.method, path, headers, body: Buffer.alloc(0) };
}

function errorOf({ errorType, message }: AdapterError, requestId: string): object {
  const isTimeout = errorType === 'Sandbox.Timedout';
  const errorMessage = isTimeout
    ? `${new Date().toISOString()} ${requestId} ${message}`
    : `RequestId: ${requestId} ${message}`;
  return { errorType, errorMessage };
}

function tailOf(lines: readonly string[]): string {
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return text.subarray(Math.max(0, text.length - LOG_TAIL_BYTES)).toString('base64');
}
