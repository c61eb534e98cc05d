import type { IncomingMessage } from 'node:http';
import { identify } from '../access/check.ts';
import { NOT_SIGNED } from '../access/signature.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { askAuthorizer } from '../gateway/authorizer.ts';
import { callFunction } from '../gateway/handle-request.ts';
import type { AuthorizerContext } from '../gateway/proxy-event.ts';
import type { GatewayRequest } from '../gateway/request.ts';
import type { Principal } from '../permissions/guard.ts';
import { authorizerEvent, type CallerIdentity, type ConnectionFacts, connectEvent } from './events.ts';
import { arnOfStage } from './management.ts';
import { WebSocketError } from './messages.ts';
import type { WebSocketBackend } from './web-socket-api.ts';

/** An accepted handshake. */
export interface AuthorizedHandshake {
  readonly facts: ConnectionFacts;
  /** The subprotocol that the `$connect` function selected. */
  readonly protocol?: string;
}

/**
 * Authorizes a handshake by its path, its caller, and the response of the `$connect` function.
 *
 * @throws WebSocketError or GatewayError with the status that the client gets instead of 101: 403 for another path or a
 * bad
 *   signature, 401, 403 or 500 of the authorizer, the function's own when it is not 2xx, 502 and 504 when it fails
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html
 */
export async function authorizeHandshake(
  backend: WebSocketBackend,
  handshake: { readonly message: IncomingMessage; readonly request: GatewayRequest },
  call: Pick<ConnectionFacts, 'connectionId' | 'connectedAt'>,
): Promise<AuthorizedHandshake> {
  const { request } = handshake;
  const { apiId, stage } = backend.api;
  // Local addresses have no stage.
  if (request.path !== '/') throw new WebSocketError(403, 'no such path');
  const identity = { sourceIp: request.sourceIp, userAgent: request.userAgent };
  const facts = { apiId, stage, ...call, domainName: request.host, identity };
  const caller = await callerOf(backend, { ...handshake, facts });
  return connect(backend, request, { ...facts, ...caller });
}

async function callerOf(
  backend: WebSocketBackend,
  { message, request, facts }: { message: IncomingMessage; request: GatewayRequest; facts: ConnectionFacts },
): Promise<{ identity?: CallerIdentity; authorizer?: AuthorizerContext }> {
  const { api, guard } = backend;
  if (api.authorization === 'NONE') return {};
  if (api.authorization !== 'AWS_IAM') {
    const event = authorizerEvent(facts, request, `${arnOfStage(api)}/$connect`);
    return { authorizer: await askAuthorizer(backend, api.authorization, event) };
  }
  const { caller, refusal } = await identify(message, guard, { scope: { region: REGION, service: 'execute-api' } });
  if (refusal === NOT_SIGNED) throw new WebSocketError(403, refusal, 'Missing Authentication Token');
  if (refusal !== undefined) throw new WebSocketError(403, refusal);
  const call = { action: 'execute-api:Invoke', resource: `${arnOfStage(api)}/$connect` };
  const denial = guard.denial(caller, [call]);
  if (denial !== undefined) throw new WebSocketError(403, denial, denial);
  const principal = guard.principal(caller);
  return { identity: { ...facts.identity, ...(principal && iamIdentity(principal)) } };
}

async function connect(
  backend: WebSocketBackend,
  request: GatewayRequest,
  facts: ConnectionFacts,
): Promise<AuthorizedHandshake> {
  const integration = backend.api.routes.get('$connect')?.integration;
  if (!integration) return { facts };
  const { status, headers } = await callFunction(backend, integration, connectEvent(facts, request));
  if (status >= 300) throw new WebSocketError(status, `${integration.functionName} refused with ${status}`);
  const [, protocol] = headers.find(([name]) => name.toLowerCase() === 'sec-websocket-protocol') ?? [];
  return { facts, ...(protocol === undefined ? {} : { protocol }) };
}

function iamIdentity({ accessKeyId, role, arn }: Principal): CallerIdentity {
  return { accessKey: accessKeyId, accountId: ACCOUNT, caller: role, user: role, userArn: arn };
}
