import type { APIGatewayProxyEvent } from 'aws-lambda';
import { derivedUuid } from '../core/derived-uuid.ts';
import { header } from './header.ts';

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
