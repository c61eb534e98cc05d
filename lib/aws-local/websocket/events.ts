import { randomUUID } from 'node:crypto';
import type { AuthorizerContext } from '../gateway/proxy-event.ts';
import type { GatewayRequest } from '../gateway/request.ts';

/** Who is at the other end: what `requestContext.identity` holds. */
export type CallerIdentity = Readonly<Record<string, string | null>>;

/** The part that all events of a connection have in common. */
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
 * The event of `$connect`, and without its type what the authorizer sees of it.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
 */
export function connectEvent(facts: ConnectionFacts, request: GatewayRequest) {
  const { headers, multiValueHeaders, query, multiValueQuery, requestId } = request;
  const queries = query && { queryStringParameters: query, multiValueQueryStringParameters: multiValueQuery };
  const requestContext = context(facts, { routeKey: '$connect', eventType: 'CONNECT', requestId });
  return { headers, multiValueHeaders, ...queries, requestContext, isBase64Encoded: false };
}

/** The event of a REQUEST authorizer; unlike the function's it always has query parameters, if need be none. */
export function authorizerEvent(facts: ConnectionFacts, request: GatewayRequest, methodArn: string) {
  const { isBase64Encoded: _, ...event } = connectEvent(facts, request);
  const none = { queryStringParameters: {}, multiValueQueryStringParameters: {}, stageVariables: {} };
  return { type: 'REQUEST', methodArn, ...none, ...event };
}

/** The event of a message: the text as it came, whatever it is. */
export function messageEvent(facts: ConnectionFacts, about: { routeKey: string; requestId: string; body: string }) {
  const { routeKey, requestId, body } = about;
  const requestContext = { ...context(facts, { routeKey, eventType: 'MESSAGE', requestId }), messageId: randomUUID() };
  return { requestContext, body, isBase64Encoded: false };
}

/** The event of `$disconnect`; the headers of the handshake are forgotten by then. */
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
  const now = new Date();
  return {
    ...about,
    ...facts,
    identity,
    ...(authorizer ? { authorizer } : {}),
    extendedRequestId: about.requestId,
    messageDirection: 'IN',
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
  };
}

function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
