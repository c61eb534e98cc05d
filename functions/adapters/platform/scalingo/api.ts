import { basicHeader } from '../../../core/basic-auth.ts';
import { isObject, parseJson } from '../../../core/json.ts';
import { oneLine } from '../../../core/text.ts';
import { baseUrl } from '../http.ts';
import { limitedText } from '../limited-text.ts';
import { type Provider, type ProviderApi, providerApi, TokenRefused } from '../provider/api.ts';
import type { ServiceToken } from '../service-token.ts';

/** The addresses of Scalingo's API: https://developers.scalingo.com */
export interface ScalingoAddresses {
  readonly api: string;
  /** Of the API that exchanges tokens. */
  readonly auth: string;
}

export interface ScalingoApiOptions extends ServiceToken {
  readonly addresses: ScalingoAddresses;
  readonly fetch?: typeof fetch;
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
}

const MAX_MESSAGE_LENGTH = 300;

const SCALINGO: Provider = {
  name: 'Scalingo',
  accept: 'application/json',
  limitPauseSeconds: 60,
  // While an app is scaled, restarted or deployed, other operations on it are refused.
  temporary: [408, 409, 423],
  messageIn,
};

/** Returns the addresses of the API for a region: `osc-fr1`. */
export function scalingoAddresses(region: string): ScalingoAddresses {
  return { api: `https://api.${region}.scalingo.com`, auth: 'https://auth.scalingo.com' };
}

/**
 * Returns Scalingo's API. It accepts bearer tokens only, which are valid for an hour: the API token is exchanged before
 * the first call, and is read and exchanged again when a bearer token is refused.
 */
export function scalingoApi({ addresses, serviceToken, renewToken, ...options }: ScalingoApiOptions): ProviderApi {
  const { fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
  const read = typeof serviceToken === 'string' ? async () => serviceToken : serviceToken;
  const exchange = { auth: `${baseUrl(addresses.auth)}/v1/tokens/exchange`, fetch, timeoutMs };
  return providerApi(SCALINGO, {
    url: `${baseUrl(addresses.api)}/v1`,
    fetch,
    timeoutMs,
    serviceToken: async () => bearerFor(await read(), exchange),
    renewToken: async () => bearerFor(await (renewToken ?? read)(), exchange),
  });
}

interface Exchange {
  readonly auth: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

async function bearerFor(token: string, { auth, fetch, timeoutMs }: Exchange): Promise<string> {
  const response = await fetch(auth, {
    method: 'POST',
    headers: { authorization: basicHeader(`:${token}`), accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const parsed = parseJson(await limitedText(response));
  if (response.status === 401 || response.status === 403) throw new TokenRefused();
  const bearer = parsed.ok && isObject(parsed.value) ? parsed.value.token : undefined;
  if (response.ok && typeof bearer === 'string' && bearer !== '') return bearer;
  throw new Error(`The exchange of the token was answered with ${response.status}.`);
}

/** Returns the sentence of Scalingo's `{ "error" }`, or the fields and sentences of its `{ "errors" }`; or null. */
export function messageIn(body: unknown): string | null {
  if (!isObject(body)) return null;
  if (typeof body.error === 'string') return oneLine(body.error, MAX_MESSAGE_LENGTH);
  const fields = isObject(body.errors) ? Object.entries(body.errors) : [];
  const sentences = fields.map(([field, reasons]) => `${field} ${[reasons].flat().join(', ')}`);
  return sentences.length > 0 ? oneLine(sentences.join('; '), MAX_MESSAGE_LENGTH) : null;
}
