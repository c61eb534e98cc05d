import { OperatorError } from '../../../lib/files/errors.ts';
import { isRecord, recordOf } from '../template/intrinsics.ts';

/**
 * The types of gateway response, with the status and message of those that the template does not define.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const GATEWAY_ERRORS = {
  ACCESS_DENIED: { status: 403, message: 'User is not authorized to access this resource' },
  API_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error' },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error' },
  INTEGRATION_FAILURE: { status: 504, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  /** A request that cannot be read has no type of its own. */
  DEFAULT_4XX: { status: 400, message: 'Bad Request' },
  /** A function that throws or returns an invalid response has no type of its own: it is 502 by default. */
  DEFAULT_5XX: { status: 502, message: 'Internal server error' },
} as const;

export type GatewayErrorType = keyof typeof GATEWAY_ERRORS;

/** Types of requests that this gateway does not refuse, or refuses as another type. */
const OTHER_TYPES = [
  ...['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'EXPIRED_TOKEN', 'INVALID_API_KEY', 'INVALID_SIGNATURE'],
  ...['QUOTA_EXCEEDED', 'RESOURCE_NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', 'WAF_FILTERED'],
];

/** A request to which the gateway itself responds. `reason` is for the log; the client sees the template's response. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly type: GatewayErrorType;
  readonly reason: string;
  /** The authorizer's context, for `$context.authorizer`. */
  readonly authorizer: Readonly<Record<string, string>>;

  constructor(type: GatewayErrorType, about: { reason?: string; authorizer?: Readonly<Record<string, string>> } = {}) {
    super(GATEWAY_ERRORS[type].message);
    this.type = type;
    this.reason = about.reason ?? type;
    this.authorizer = about.authorizer ?? {};
  }
}

/** The response that the client gets instead of a function's. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string;
}

/** The request a gateway response is rendered for. */
export interface FailedRequest {
  /** The values of `$context`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The values of `$stageVariables`. */
  readonly stageVariables: Readonly<Record<string, string>> | null;
}

/** A declared response, with templates in the place of texts. */
interface Declared {
  readonly status: number | undefined;
  readonly headers: ReadonlyArray<readonly [name: string, template: string]>;
  readonly body: string;
}

const PLAIN: Declared = { status: undefined, headers: [], body: '{"message":$context.error.messageString}' };

/**
 * Reads the gateway responses of an API's definition. A type that is not declared falls back to DEFAULT_4XX or
 * DEFAULT_5XX and keeps its own status; without either, the body is `{"message": …}`, of the type `application/json`.
 *
 * Templates substitute `$context…` and `$stageVariables…` and nothing else; a missing value becomes an empty string,
 * and a header without a value is omitted.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function readGatewayResponses(
  responses: Readonly<Record<string, unknown>>,
): (type: GatewayErrorType, request: FailedRequest) => GatewayResponse {
  const declared = new Map(Object.entries(responses).map(([type, response]) => [type, read(type, recordOf(response))]));
  return (type, { context, stageVariables }) => {
    const { status, message } = GATEWAY_ERRORS[type];
    const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const chosen = declared.get(type) ?? declared.get(fallback) ?? PLAIN;
    const error = { message, messageString: JSON.stringify(message), responseType: type };
    const values = { context: { ...context, error }, stageVariables };
    const headers = chosen.headers.map(([name, template]) => [name, filled(template, values)] as const);
    return {
      status: chosen.status ?? status,
      headers: [['content-type', 'application/json'], ...headers.filter(([, value]) => value !== '')],
      body: filled(chosen.body, values),
    };
  };
}

function read(type: string, response: Record<string, unknown>): Declared {
  const { statusCode: status, responseParameters: parameters, responseTemplates: templates, ...unknown } = response;
  if (!(type in GATEWAY_ERRORS || OTHER_TYPES.includes(type)) || Object.keys(unknown).length > 0) {
    throw new OperatorError(`the gateway response ${[type, ...Object.keys(unknown)].join('.')} is not known`);
  }
  const { 'application/json': json = PLAIN.body, ...others } = recordOf(templates);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new OperatorError(`a gateway response of the type ${other} is not emulated`);
  return {
    status: status === undefined ? undefined : Number(status),
    headers: Object.entries(recordOf(parameters)).map(([name, expression]) => [
      name.replace(/^gatewayresponse\.header\./, ''),
      templateOf(String(expression)),
    ]),
    body: String(json),
  };
}

/** Returns the template for `'literal'` or `context.…`. */
function templateOf(expression: string): string {
  const [, literal] = /^'([^$]*)'$/.exec(expression) ?? [];
  if (literal !== undefined) return literal;
  if (expression.startsWith('context.')) return `$${expression}`;
  throw new OperatorError(`the parameter ${expression} of a gateway response is not emulated`);
}

function filled(template: string, values: FailedRequest): string {
  return template.replace(
    /\$(context|stageVariables)((?:\.[\w-]+)+)/g,
    (_, root: keyof FailedRequest, path: string) => {
      const [, ...names] = path.split('.');
      const value = names.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), values[root]);
      return String(value ?? '');
    },
  );
}
