import { type GatewayResponse, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type ErrorCode, errors, problem } from '../../functions/core/errors.ts';
import { version } from '../../functions/core/version.ts';

/** An answer that the gateway gives by itself, before or instead of a function's. */
interface GatewayAnswer {
  readonly type: ResponseType;
  readonly code: ErrorCode;
  /** What was tried and what to do next. No quotes: it goes into JSON as it is. */
  readonly detail: string;
}

const nothingHere = 'No endpoint of this API has this path; see the README for those there are.';
const noLogin = 'The login could not be checked; send the request again in a moment.';
const ours =
  'The request was not answered in time or not at all; send it again in a moment, and quote the uuid if it lasts.';

const answers: readonly GatewayAnswer[] = [
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 'request:not_found', detail: nothingHere },
  // Basic credentials at a path that does not exist are taken for a broken AWS signature.
  { type: ResponseType.INVALID_SIGNATURE, code: 'request:not_found', detail: nothingHere },
  { type: ResponseType.EXPIRED_TOKEN, code: 'request:not_found', detail: nothingHere },
  { type: ResponseType.INVALID_API_KEY, code: 'request:not_found', detail: nothingHere },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 'request:not_found', detail: nothingHere },
  {
    type: ResponseType.UNAUTHORIZED,
    code: 'mw:auth:unauthorized',
    detail: 'Send the user name of the platform with its password or an API token by Basic authentication.',
  },
  { type: ResponseType.AUTHORIZER_FAILURE, code: 'mw:auth:auth_server_down', detail: noLogin },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, code: 'mw:auth:auth_server_down', detail: noLogin },
  {
    type: ResponseType.THROTTLED,
    code: 'request:throttled',
    detail: 'The service takes no more requests at this moment; send it again in some seconds.',
  },
  { type: ResponseType.QUOTA_EXCEEDED, code: 'request:throttled', detail: 'The quota is used up; try again later.' },
  {
    type: ResponseType.WAF_FILTERED,
    code: 'request:throttled',
    detail: 'A firewall rule in front of the service has stopped the request; send fewer of them.',
  },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    code: 'request:too_large',
    detail: 'The body is over the limit; have the sender leave out what the deploy does not need.',
  },
  {
    type: ResponseType.BAD_REQUEST_PARAMETERS,
    code: 'request:bad_parameter',
    detail: 'The parameters of the request cannot be read; see the README for those there are.',
  },
  { type: ResponseType.BAD_REQUEST_BODY, code: 'deploy:no_payload', detail: 'The body of the request cannot be read.' },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    code: 'deploy:provider:not_supported',
    detail: 'The content type of the body is not supported; send JSON or a form.',
  },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 'request:failed', detail: ours },
  { type: ResponseType.INTEGRATION_FAILURE, code: 'request:failed', detail: ours },
  { type: ResponseType.API_CONFIGURATION_ERROR, code: 'request:failed', detail: ours },
];

/** For what has no type of its own; these keep the status that the gateway chose. */
const otherAnswers: readonly GatewayAnswer[] = [
  {
    type: ResponseType.DEFAULT_4XX,
    code: 'request:bad_parameter',
    detail: 'The request cannot be read; see the README for those that can.',
  },
  { type: ResponseType.DEFAULT_5XX, code: 'request:failed', detail: ours },
];

/** Emitted by the gateway only: a function's own `WWW-Authenticate` would be renamed. */
const challenge = { 'WWW-Authenticate': quoted('Basic realm="deployment-webhooks", charset="UTF-8"') };

const headers = {
  'Content-Type': quoted('application/problem+json'),
  'x-api-uuid': 'context.requestId',
  'x-api-version': quoted(version),
};

/**
 * Gives the gateway's own answers the shape of the service's: a problem document, the request's id, the API's version.
 * A refused login says what the authorizer says in its context: `code`, `type`, `title` and `detail`, which therefore
 * hold no quotes or backslashes, as the gateway puts them into the document as they are.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function answerInOneShape(api: RestApi): GatewayResponse[] {
  return [
    refuse(api),
    ...answers.map((answer) => respond(api, answer, String(errors[answer.code].status))),
    ...otherAnswers.map((answer) => respond(api, answer)),
  ];
}

function refuse(api: RestApi): GatewayResponse {
  const said = (name: string) => `$context.authorizer.${name}`;
  const body = { type: said('type'), title: said('title'), status: 401, code: said('code'), detail: said('detail') };
  return api.addGatewayResponse(ResponseType.ACCESS_DENIED.responseType, {
    type: ResponseType.ACCESS_DENIED,
    statusCode: '401',
    responseHeaders: { ...headers, ...challenge },
    templates: template({ ...body, uuid: '$context.requestId' }),
  });
}

function respond(api: RestApi, { type, code, detail }: GatewayAnswer, statusCode?: string): GatewayResponse {
  return api.addGatewayResponse(type.responseType, {
    type,
    ...(statusCode && { statusCode }),
    responseHeaders: {
      ...headers,
      ...(statusCode === '401' && challenge),
      ...(statusCode === '429' && { 'Retry-After': quoted('5') }),
    },
    templates: template(problem(code, detail, '$context.requestId')),
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
