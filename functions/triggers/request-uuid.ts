import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Returns the request's `x-api-uuid`: the id that API Gateway gave it, which the gateway's own responses carry too. A
 * client can choose that id, and repeat it; then it is one that is made of the gateway's second id, which no client can
 * choose.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
export function requestUuid({
  headers,
  requestContext,
}: Pick<APIGatewayProxyEvent, 'headers' | 'requestContext'>): string {
  const { requestId, extendedRequestId } = requestContext;
  if (UUID.test(requestId) && header(headers, 'x-amzn-requestid') === undefined) return requestId;
  return derivedUuid(extendedRequestId ?? requestId);
}

/** Returns the value of a header by its lower-case name, in whatever case the event has it. */
export function header(
  headers: Readonly<Record<string, string | undefined>> | null | undefined,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([known]) => known.toLowerCase() === name)?.[1];
}

/**
 * Returns a UUID that is derived from a string: equal strings have equal UUIDs. It has the version for own ways
 * of making one: https://www.rfc-editor.org/rfc/rfc9562#section-5.8
 */
function derivedUuid(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}
