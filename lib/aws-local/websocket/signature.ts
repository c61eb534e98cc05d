import { type Credentials, NOT_SIGNED, refusalOf } from '../access/signature.mjs';
import type { GatewayRequest } from '../gateway/request.ts';
import { WebSocketError } from './web-socket-error.ts';

/**
 * Checks that a request without a body was signed with these credentials (Signature Version 4, presigned query or
 * Authorization header) and that the signature is valid at `now` (epoch milliseconds).
 *
 * @throws WebSocketError 403
 */
export async function verifySignature(
  { httpMethod: method, host, path, query, multiValueQuery, headers }: GatewayRequest,
  credentials: Required<Credentials>,
  now: number,
): Promise<void> {
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const values = Object.entries(multiValueQuery ?? {}).map(([name, all]) => [
    name,
    all.length > 1 ? all : query?.[name],
  ]);
  const request = { method, host, path, query: Object.fromEntries(values), headers: Object.fromEntries(lowerCased) };
  const refusal = await refusalOf(request, credentials, now);
  if (refusal === NOT_SIGNED) throw new WebSocketError(403, refusal, 'Missing Authentication Token');
  if (refusal !== undefined) throw new WebSocketError(403, refusal);
}
