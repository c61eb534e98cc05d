import { randomUUID } from 'node:crypto';
import { type AuthorizerContext, commonLogTime } from '../gateway/proxy-event.ts';
import type { GatewayRequest } from '../gateway/request.ts';

/** The caller, as in `requestContext.identity`. */
export type CallerIdentity = Readonly<Record<string, string | null>>;

/** The fields that all events of a connection share. */
export interface ConnectionFacts {
  readonly apiId: string;
  readonly stage: string;
  readonly connectionId: string;
  /** Epoch milliseconds. */
  readonly connectedAt: number;
  /** The Host header of the handshake. */
  readonly domainName: string;
  readonly identity: CallerIdentity;
  /** Set once an authorizer has allowed the caller. */
  readonly authorizer?: AuthorizerContext;
}

type EventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

/**
 * Returns the event of `$connect`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
 */
export function connectEvent(facts: ConnectionFacts, request: GatewayRequest) {
  const { headers, multiValueHeaders, query, multiValueQuery, requestId } = request;
  const queries = query && { queryStringParameters: query, multiValueQueryStringParameters: multiValueQuery };
  const requestContext = context(facts, { routeKey: '$connect', eventType: 'CONNECT', requestId });
  return { headers, multiValueHeaders, ...queries, requestContext, isBase64Encoded: false };
}

/** Returns the event of a REQUEST authorizer; unlike the function's it always has query parameters, possibly empty. */
export function authorizerEvent(facts: ConnectionFacts, request: GatewayRequest, methodArn: string) {
  const { isBase64Encoded: _, ...event } = connectEvent(facts, request);
  const none = { queryStringParameters: {}, multiValueQueryStringParameters: {}, stageVariables: {} };
  return { type: 'REQUEST', methodArn, ...none, ...event };
}

/** Returns the event of a message; its body is the unchanged message. */
export function messageEvent(facts: ConnectionFacts, about: { routeKey: string; requestId: string; body: string }) {
  const { routeKey, requestId, body } = about;
  const requestContext = { ...context(facts, { routeKey, eventType: 'MESSAGE', requestId }), messageId: randomUUID() };
  return { requestContext, body, isBase64Encoded: false };
}

/** Returns the event of `$disconnect`, which has no headers of the handshake but Host. */
export function disconnectEvent(facts: ConnectionFacts, { code, reason }: { code: number; reason: string }) {
  const about = { routeKey: '$disconnect', eventType: 'DISCONNECT', requestId: randomUUID() } as const;
  const requestContext = { ...context(facts, about), disconnectStatusCode: code, disconnectReason: reason };
  const headers = { Host: facts.domainName };
  return { headers, multiValueHeaders: { Host: [facts.domainName] }, requestContext, isBase64Encoded: false };
}

function context(
  { identity, authorizer, ...facts }: ConnectionFacts,
  about: { routeKey: string; eventType: EventType; requestId: string },
) {
  const now = Date.now();
  return {
    ...about,
    ...facts,
    identity,
    ...(authorizer ? { authorizer } : {}),
    extendedRequestId: about.requestId,
    messageDirection: 'IN',
    requestTime: commonLogTime(now),
    requestTimeEpoch: now,
  };
}
