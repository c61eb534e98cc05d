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
