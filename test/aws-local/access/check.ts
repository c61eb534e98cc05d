import type { IncomingMessage } from 'node:http';
import type { Guard } from '../permissions/guard.ts';
import { type Credentials, keyOf, NOT_SIGNED, refusalOf, type SignedRequest } from './signature.ts';

/** The access key id of a caller, or why its request is refused. */
export type Identity =
  | { readonly caller: string; readonly refusal?: never }
  | { readonly caller?: never; readonly refusal: string };

/** What is known of a request besides its head. */
interface About {
  /** Needed where `x-amz-content-sha256` does not name its hash. */
  readonly body?: Uint8Array | undefined;
  /** The region and the service that the signature must be for; default: any. */
  readonly scope?: Pick<Credentials, 'region' | 'service'>;
}

/**
 * Returns who has sent a request: one that was signed with a key of this start, at the emulator's own address, so that
 * a web page cannot reach it by a name that leads to 127.0.0.1.
 */
export async function identify(
  message: IncomingMessage,
  guard: Pick<Guard, 'principal'>,
  { body, scope }: About = {},
): Promise<Identity> {
  if (!isOwnHost(message)) return { refusal: 'the Host header names another server' };
  const request = signedRequest(message, body);
  const key = keyOf(request);
  if (!key) return { refusal: NOT_SIGNED };
  const principal = guard.principal(key.accessKeyId);
  if (!principal) return { refusal: 'the credential is not of a key of this start' };
  const { accessKeyId, secretAccessKey, sessionToken } = principal;
  if (sessionToken !== undefined && key.sessionToken !== sessionToken) {
    return { refusal: 'the session token is not that of the key' };
  }
  const refusal = await refusalOf(request, { accessKeyId, secretAccessKey, ...scope }, Date.now());
  return refusal === undefined ? { caller: accessKeyId } : { refusal };
}

function isOwnHost({ headers, socket }: IncomingMessage): boolean {
  return [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`].includes(headers.host ?? '');
}

/** Returns the parts of a request that a signature covers. */
export function signedRequest(
  { method = 'GET', url = '/', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body?: Uint8Array,
): SignedRequest {
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { method, host: headers.host ?? '', path, query: queryOf(search), headers: Object.fromEntries(texts), body };
}

function queryOf(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}
