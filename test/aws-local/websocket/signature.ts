import {
  type Credentials,
  keyOf,
  NOT_SIGNED,
  refusalOf,
  type SignedRequest,
  WRONG_TOKEN,
} from '../access/signature.mjs';
import type { GatewayRequest } from '../gateway/request.ts';
import type { Guard, Principal } from '../permissions/guard.mjs';
import { WebSocketError } from './web-socket-error.ts';

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
