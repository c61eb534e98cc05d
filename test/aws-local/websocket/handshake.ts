import { within } from '../../../lib/process/closing.ts';
import {
  type Credentials,
  keyOf,
  NOT_SIGNED,
  refusalOf,
  type SignedRequest,
  WRONG_TOKEN,
} from '../access/signature.mjs';
import { ACCOUNT, REGION } from '../clients.ts';
import { authorize, authorizerFailed, requireIdentity } from '../gateway/authorizer.ts';
import type { AuthorizerContext } from '../gateway/proxy-event.ts';
import type { GatewayRequest } from '../gateway/request.ts';
import type { AuthorizerSettings } from '../gateway/rest-api.ts';
import type { Guard, Principal } from '../permissions/guard.mjs';
import { authorizerEvent, type CallerIdentity, type ConnectionFacts, connectEvent } from './events.ts';
import { arnOfStage } from './management.ts';
import { callFunction, WebSocketError } from './messages.ts';
import type { WebSocketBackend } from './web-socket-api.ts';

/** An accepted handshake. */
export interface AuthorizedHandshake {
  readonly facts: ConnectionFacts;
  /** The subprotocol that the `$connect` function selected. */
  readonly protocol?: string;
}

// An authorizer has the same timeout as an integration.
const AUTHORIZER_TIMEOUT_MS = 29_000;

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
  request: GatewayRequest,
  call: Pick<ConnectionFacts, 'connectionId' | 'connectedAt'>,
): Promise<AuthorizedHandshake> {
  const { apiId, stage, authorization } = backend.api;
  // Local addresses have no stage; a client may still send it.
  if (request.path !== '/' && request.path.replace(/\/$/, '') !== `/${stage}`)
    throw new WebSocketError(403, 'no such path');
  const identity = { sourceIp: request.sourceIp, userAgent: request.userAgent };
  const facts = { apiId, stage, ...call, domainName: request.host, identity };
  const caller = await identify(backend, { request, facts, authorization });
  return connect(backend, request, { ...facts, ...caller });
}

async function identify(
  backend: WebSocketBackend,
  { request, facts, authorization }: HandshakeFacts & { authorization: WebSocketBackend['api']['authorization'] },
): Promise<{ identity?: CallerIdentity; authorizer?: AuthorizerContext }> {
  if (authorization === 'NONE') return {};
  if (authorization !== 'AWS_IAM')
    return { authorizer: await invokeAuthorizer(backend, authorization, { request, facts }) };
  const principal = claimedPrincipal(request, backend.guard);
  const { accessKeyId, secretAccessKey } = principal;
  await verifySignature(request, { accessKeyId, secretAccessKey, region: REGION, service: 'execute-api' }, Date.now());
  const denial = backend.guard.denial(accessKeyId, [
    { action: 'execute-api:Invoke', resource: `${arnOfStage(backend.api)}/$connect` },
  ]);
  if (denial !== undefined) throw new WebSocketError(403, denial, denial);
  return { identity: { ...facts.identity, ...iamIdentity(principal) } };
}

interface HandshakeFacts {
  readonly request: GatewayRequest;
  readonly facts: ConnectionFacts;
}

async function invokeAuthorizer(
  { api, functions }: WebSocketBackend,
  { functionName, identitySources }: AuthorizerSettings,
  { request, facts }: HandshakeFacts,
): Promise<AuthorizerContext> {
  requireIdentity(identitySources, request);
  const arn = `${arnOfStage(api)}/$connect`;
  const invoked = functions.invoke(functionName, authorizerEvent(facts, request, arn));
  const late = () => new Error('the authorizer timed out');
  const result = await within(AUTHORIZER_TIMEOUT_MS, invoked, late).catch((error: unknown) => {
    throw authorizerFailed(error);
  });
  return authorize(result, arn);
}

async function connect(
  { api, functions }: WebSocketBackend,
  request: GatewayRequest,
  facts: ConnectionFacts,
): Promise<AuthorizedHandshake> {
  const integration = api.routes.get('$connect')?.integration;
  if (!integration) return { facts };
  const { status, headers } = await callFunction(functions, integration, connectEvent(facts, request));
  if (status >= 300) throw new WebSocketError(status, `${integration.functionName} refused with ${status}`);
  const [, protocols] = headers.find(([name]) => name.toLowerCase() === 'sec-websocket-protocol') ?? [];
  const protocol = protocols?.[0];
  return { facts, ...(protocol === undefined ? {} : { protocol }) };
}

function iamIdentity({ accessKeyId, role, arn }: Principal): CallerIdentity {
  return { accessKey: accessKeyId, accountId: ACCOUNT, caller: role, user: role, userArn: arn };
}

/**
 * Checks that a request without a body was signed with these credentials (Signature Version 4, presigned query or
 * Authorization header) and that the signature is valid at `now` (epoch milliseconds).
 *
 * @throws WebSocketError 403
 */
export async function verifySignature(
  request: GatewayRequest,
  credentials: Required<Credentials>,
  now: number,
): Promise<void> {
  const refusal = await refusalOf(signedRequest(request), credentials, now);
  if (refusal === NOT_SIGNED) throw new WebSocketError(403, refusal, 'Missing Authentication Token');
  if (refusal !== undefined) throw new WebSocketError(403, refusal);
}

/**
 * Returns whose key a request names; its signature is not verified yet.
 *
 * @throws WebSocketError 403 for none, a key of another start, and another session token than that of the key
 */
export function claimedPrincipal(request: GatewayRequest, guard: Guard): Principal {
  const key = keyOf(signedRequest(request));
  if (!key) throw new WebSocketError(403, NOT_SIGNED, 'Missing Authentication Token');
  const principal = guard.principal(key.accessKeyId);
  if (!principal) throw new WebSocketError(403, 'the credential is not of a key of this start');
  const { sessionToken } = principal;
  if (sessionToken !== undefined && key.sessionToken !== sessionToken) throw new WebSocketError(403, WRONG_TOKEN);
  return principal;
}

function signedRequest(request: GatewayRequest): SignedRequest {
  const { httpMethod: method, host, path, query, multiValueQuery, headers } = request;
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const values = Object.entries(multiValueQuery ?? {}).map(([name, all]) => [
    name,
    all.length > 1 ? all : query?.[name],
  ]);
  return { method, host, path, query: Object.fromEntries(values), headers: Object.fromEntries(lowerCased) };
}
