import { type GatewayResponse, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { BUSY_SECONDS, CHALLENGE, READABLE_BY_ALL, type Refusal, refusals } from '../../../functions/api/refusals.ts';
import { errors, problem, problemType } from '../../../functions/core/errors.ts';
import { version } from '../../../functions/core/version.ts';
import { BASE_VARIABLE } from './gateway.ts';

/** A response of the gateway, before or instead of a function's. */
interface OwnResponse extends Refusal {
  readonly type: ResponseType;
}

const NO_SUCH_PATH = 'No endpoint of this API has this path; GET /1/openapi lists the endpoints.';

const responses: readonly OwnResponse[] = [
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 'request:not_found', detail: NO_SUCH_PATH },
  // Basic credentials at a path that does not exist are taken for a broken AWS signature.
  { type: ResponseType.INVALID_SIGNATURE, code: 'request:not_found', detail: NO_SUCH_PATH },
  { type: ResponseType.EXPIRED_TOKEN, code: 'request:not_found', detail: NO_SUCH_PATH },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 'request:not_found', detail: NO_SUCH_PATH },
  {
    type: ResponseType.UNAUTHORIZED,
    code: 'mw:auth:unauthorized',
    detail: 'Send the user name of the platform with its password or an API token by Basic authentication.',
  },
  { type: ResponseType.AUTHORIZER_FAILURE, ...refusals.loginNotChecked },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...refusals.loginNotChecked },
  { type: ResponseType.THROTTLED, ...refusals.busy },
  {
    type: ResponseType.WAF_FILTERED,
    code: 'request:throttled',
    detail: 'A firewall rule in front of the service has stopped the request; send fewer of them.',
  },
  { type: ResponseType.REQUEST_TOO_LARGE, ...refusals.tooLarge },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...refusals.serviceFailed },
  { type: ResponseType.INTEGRATION_FAILURE, ...refusals.serviceFailed },
];

/** For errors without their own type; these keep the status that the gateway chose. */
const defaultResponses: readonly OwnResponse[] = [
  { type: ResponseType.DEFAULT_4XX, ...refusals.unreadable },
  { type: ResponseType.DEFAULT_5XX, ...refusals.serviceFailed },
];

/** A variable of the stage and not the parameter, a change of which would need a new deployment of the API. */
const BASE = `$stageVariables.${BASE_VARIABLE}`;

/** Emitted by the gateway only: a function's own `WWW-Authenticate` would be renamed. */
const CHALLENGE_HEADER = { 'WWW-Authenticate': quoted(CHALLENGE) };

const headers = {
  'Content-Type': quoted('application/problem+json'),
  'x-api-uuid': 'context.requestId',
  'x-api-version': quoted(version),
  ...Object.fromEntries(Object.entries(READABLE_BY_ALL).map(([name, value]) => [name, quoted(value)])),
};

/**
 * Makes the gateway's own responses look like those of the functions: a problem document with the request's id and the
 * API's version. The response to a refused login takes `code`, `title` and `detail` from the authorizer's context; they
 * hold no quotes or backslashes, because the gateway inserts them without escaping.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function addGatewayResponses(api: RestApi): GatewayResponse[] {
  return [
    refuse(api),
    ...responses.map((response) => respond(api, response, String(errors[response.code].status))),
    ...defaultResponses.map((response) => respond(api, response)),
  ];
}

function refuse(api: RestApi): GatewayResponse {
  const said = (name: string) => `$context.authorizer.${name}`;
  const type = problemType(BASE, said('code'));
  const body = { type, title: said('title'), status: 401, code: said('code'), detail: said('detail') };
  return api.addGatewayResponse(ResponseType.ACCESS_DENIED.responseType, {
    type: ResponseType.ACCESS_DENIED,
    statusCode: '401',
    responseHeaders: { ...headers, ...CHALLENGE_HEADER },
    templates: template({ ...body, uuid: '$context.requestId' }),
  });
}

function respond(api: RestApi, { type, code, detail }: OwnResponse, statusCode?: string): GatewayResponse {
  return api.addGatewayResponse(type.responseType, {
    type,
    ...(statusCode && { statusCode }),
    responseHeaders: {
      ...headers,
      ...(statusCode === '401' && CHALLENGE_HEADER),
      ...(statusCode === '429' && { 'Retry-After': quoted(String(BUSY_SECONDS)) }),
    },
    templates: template(problem(code, detail, { base: BASE, uuid: '$context.requestId' })),
  });
}

/** The only content type that the gateway takes for any `Accept`; the header above says what it really is. */
function template(document: object): Record<string, string> {
  return { 'application/json': JSON.stringify(document) };
}

/** A literal among the mapping expressions of the gateway. */
function quoted(value: string): string {
  return `'${value}'`;
}
