import type { APIGatewayProxyEvent } from 'aws-lambda';
import { proxyEvent } from './aws-events.ts';

/** What a test says of a request to pair. */
export interface PairRequest {
  readonly method?: string;
  readonly host?: string;
  readonly user?: string;
  readonly app?: string;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
}

/** The event of a request to `/1/auth/{host}`, whose body comes in base64 as everywhere. */
export function gatewayEvent(request: PairRequest): APIGatewayProxyEvent {
  const {
    method = 'POST',
    host = 'repohost',
    user = 'kiwi',
    app,
    body = '',
    contentType = 'application/json',
  } = request;
  const path = `/1/auth/${encodeURIComponent(host)}`;
  return proxyEvent({
    httpMethod: method,
    path,
    resource: '/1/auth/{host}',
    headers: { 'Content-Type': contentType },
    pathParameters: { host: encodeURIComponent(host) },
    queryStringParameters: app === undefined ? null : { app },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
    requestContext: { authorizer: { user }, path: `/live${path}` },
  });
}
