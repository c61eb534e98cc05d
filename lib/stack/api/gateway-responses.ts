import { BUSY_SECONDS, CHALLENGE, READABLE_BY_ALL, type Refusal, refusals } from '../../../functions/api/refusals.ts';
import { errors, problem, problemType } from '../../../functions/core/errors.ts';
import { version } from '../../../functions/core/version.ts';
import { BASE_VARIABLE } from './gateway.ts';

const NO_SUCH_PATH = 'No endpoint of this API has this path; GET /1/openapi lists the endpoints.';

/** What the gateway answers before or instead of a function, by the type of response. */
const responses: Readonly<Record<string, Refusal>> = {
  MISSING_AUTHENTICATION_TOKEN: { code: 'request:not_found', detail: NO_SUCH_PATH },
  // Basic credentials at a path that does not exist are taken for a broken AWS signature.
  INVALID_SIGNATURE: { code: 'request:not_found', detail: NO_SUCH_PATH },
  EXPIRED_TOKEN: { code: 'request:not_found', detail: NO_SUCH_PATH },
  RESOURCE_NOT_FOUND: { code: 'request:not_found', detail: NO_SUCH_PATH },
  UNAUTHORIZED: {
    code: 'mw:auth:unauthorized',
    detail: 'Send the user name of the platform with its password or an API token by Basic authentication.',
  },
  AUTHORIZER_FAILURE: refusals.loginNotChecked,
  AUTHORIZER_CONFIGURATION_ERROR: refusals.loginNotChecked,
  THROTTLED: refusals.busy,
  WAF_FILTERED: {
    code: 'request:throttled',
    detail: 'A firewall rule in front of the service has stopped the request; send fewer of them.',
  },
  REQUEST_TOO_LARGE: refusals.tooLarge,
  INTEGRATION_TIMEOUT: refusals.serviceFailed,
  INTEGRATION_FAILURE: refusals.serviceFailed,
  // For errors without their own type; these keep the status that the gateway chose.
  DEFAULT_4XX: refusals.unreadable,
  DEFAULT_5XX: refusals.serviceFailed,
};

/** A variable of the stage and not the parameter, a change of which would need a new deployment of the API. */
const BASE = `$stageVariables.${BASE_VARIABLE}`;

/** `WWW-Authenticate` is emitted by the gateway only: a function's own one would be renamed. */
const headers = {
  'Content-Type': quoted('application/problem+json'),
  'x-api-uuid': 'context.requestId',
  'x-api-version': quoted(version),
  ...Object.fromEntries(Object.entries(READABLE_BY_ALL).map(([name, value]) => [name, quoted(value)])),
};

/**
 * The gateway's own responses look like those of the functions: a problem document with the request's id and the
 * API's version. The response to a refused login takes `code`, `title` and `detail` from the authorizer's context; they
 * hold no quotes or backslashes, because the gateway inserts them without escaping.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function gatewayResponses(): Readonly<Record<string, object>> {
  const fixed = Object.entries(responses).map(([type, { code, detail }]) => {
    const { status } = errors[code];
    const document = problem(code, detail, { base: BASE, uuid: '$context.requestId' });
    return [type, response(document, type.startsWith('DEFAULT_') ? undefined : status)];
  });
  return { ACCESS_DENIED: refusedLogin(), ...Object.fromEntries(fixed) };
}

function refusedLogin(): object {
  const said = (name: string) => `$context.authorizer.${name}`;
  const type = problemType(BASE, said('code'));
  const body = { type, title: said('title'), status: 401, code: said('code'), detail: said('detail') };
  return response({ ...body, uuid: '$context.requestId' }, 401);
}

function response(document: object, statusCode: number | undefined): object {
  const sent = {
    ...headers,
    ...(statusCode === 401 && { 'WWW-Authenticate': quoted(CHALLENGE) }),
    ...(statusCode === 429 && { 'Retry-After': quoted(String(BUSY_SECONDS)) }),
  };
  const named = Object.entries(sent).map(([name, value]) => [`gatewayresponse.header.${name}`, value]);
  return {
    ...(statusCode && { statusCode }),
    responseParameters: Object.fromEntries(named),
    // The only content type that the gateway takes for any `Accept`; the header above says what it really is.
    responseTemplates: { 'application/json': JSON.stringify(document) },
  };
}

/** A literal among the mapping expressions of the gateway. */
function quoted(value: string): string {
  return `'${value}'`;
}
