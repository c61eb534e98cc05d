import type { ErrorCode } from '../core/errors.ts';
import { PAYLOAD_TOO_LARGE } from '../core/payload/payload.ts';

/** An error answer that is given instead of calling an endpoint. */
export interface Refusal {
  readonly code: ErrorCode;
  /** The failed operation and what to do next. Without quotes, because API Gateway inserts it into JSON unescaped. */
  readonly detail: string;
}

const LOGIN_NOT_CHECKED = 'The login could not be checked; send the request again in a moment.';
const SERVICE_FAILED =
  'The request was not answered in time or not at all; send it again in a moment, and quote the uuid if it lasts.';
const BUSY = 'The service takes no more requests at this moment; send it again in some seconds.';
const UNREADABLE = 'The request cannot be read; GET /1/openapi lists the endpoints.';

/** The refusals of API Gateway and of the engine, which a client cannot tell apart. */
export const refusals = {
  loginNotChecked: { code: 'mw:auth:auth_server_down', detail: LOGIN_NOT_CHECKED },
  serviceFailed: { code: 'request:failed', detail: SERVICE_FAILED },
  busy: { code: 'request:throttled', detail: BUSY },
  tooLarge: { code: 'request:too_large', detail: PAYLOAD_TOO_LARGE },
  unreadable: { code: 'request:bad_parameter', detail: UNREADABLE },
} as const satisfies Record<string, Refusal>;

/** The header `WWW-Authenticate` of a refused login. */
export const CHALLENGE = 'Basic realm="deployment-webhooks", charset="UTF-8"';

/** The header `Retry-After` of a service that takes no more requests, in seconds. */
export const BUSY_SECONDS = 5;

/** A refusal holds no data of users, so any page may read it; which may send requests is said in the preflight. */
export const READABLE_BY_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'retry-after, x-api-uuid, x-api-version',
} as const;
