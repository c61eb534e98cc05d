import * as v from 'valibot';
import { printableValue } from '../../terminal/printable.ts';
import { Failure, Unreachable } from '../errors.ts';
import { lines, Refused, Throttled } from './changes/connection.ts';
import { refusal } from './refusal.ts';
import type { Service } from './service.ts';

/** A request to the service. */
export interface ApiRequest {
  /** Segments of the path below `/1`; they are encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** The API of a service, for one user. Each method throws a `Failure` with a sentence for the user. */
export interface Api {
  readonly service: Service;
  get(request: ApiRequest): Promise<unknown>;
  /** Null for an answer without a body. */
  send(method: 'POST' | 'PUT' | 'DELETE', request: ApiRequest): Promise<unknown>;
  /** Yields the lines of a stream as they arrive, until `until` aborts as well. */
  lines(request: ApiRequest, until?: AbortSignal): AsyncGenerator<string, void>;
}

const TIMEOUT_MS = 60_000;
/** The service sends a heartbeat to quiet streams every 15 s. */
const SILENCE_MS = 45_000;

/** Returns the API of a service. `signal` ends requests in progress. */
export function api(service: Service, signal: AbortSignal): Api {
  const call = async (method: string, request: ApiRequest): Promise<unknown> => {
    const { body } = request;
    const response = await fetch(addressOf(service, request), {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${service.user}:${service.secret}`).toString('base64')}`,
        'user-agent': 'deployment-webhooks-hooks',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      // A redirect could lead the login to another host.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((cause) => {
      throw unreachable(service, cause);
    });
    const text = await response.text().catch((cause) => {
      throw unreachable(service, cause);
    });
    if (!response.ok) throw refusal({ service, status: response.status, body: text });
    return text === '' ? null : json(text, service);
  };
  return {
    service,
    get: (request) => call('GET', request),
    send: (method, request) => call(method, request),
    async *lines(request, until) {
      const { user, secret } = service;
      try {
        const ending = until ? AbortSignal.any([signal, until]) : signal;
        yield* lines({ address: addressOf(service, request), user, secret, silenceMs: SILENCE_MS, signal: ending });
      } catch (error) {
        if (error instanceof Throttled)
          throw refusal({ service, status: 429, body: error.body, retryAfterMs: error.retryAfterMs });
        throw error instanceof Refused ? error : unreachable(service, error);
      }
    },
  };
}

/**
 * Returns the service's answer, checked, and without what a terminal understands. Throws a `Failure` when it has another
 * shape.
 */
export function parsed<const S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return printableValue(result.output);
  throw new Failure('The service answered with something unknown: does it have the version of this command line?');
}

function addressOf({ url }: Service, { path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const search = new URLSearchParams(given).toString();
  return `${url}/1/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

/** `fetch` puts the reason of a failure into the error's cause. */
function unreachable({ url, from }: Service, error: unknown): Unreachable {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  return new Unreachable(`The service at ${url} cannot be reached${code}; the address is that of ${from}.`, {
    cause: error,
  });
}

function json(text: string, { url }: Service): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure(`What answers at ${url} is not the service: is its address right?`, { cause });
  }
}
