import type { UsedToken } from '../core/ports/accounts.ts';

export interface HttpRequest {
  readonly method: string;
  /** The route's path as the API declares it, with variables in braces. */
  readonly resource: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The last value of each parameter. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as received. */
  readonly body: Uint8Array;
  readonly path: string;
  /** The address of the service that this request used, without a slash at the end. */
  readonly base: string;
  /** The request's `x-api-uuid`. */
  readonly uuid: string;
  /** The authenticated user; empty at endpoints without login. */
  readonly user: string;
  /** The API token of the login; absent for the password. */
  readonly token?: UsedToken;
  /** For a stream: aborted when its client has gone. On AWS nobody tells. */
  readonly gone?: AbortSignal;
}

/** An answer. A body that is neither text nor bytes is sent as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are UTF-8. */
  readonly body?: unknown;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read with backpressure: the next chunk is requested when the last one was sent. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type BodilessAnswer = Omit<StreamAnswer, 'body'> & { readonly body: null };
