import { basicHeader } from '../../functions/core/basic-auth.ts';
import { LoginThrottled } from '../repohost/api/access.ts';

const TIMEOUT_MS = 10_000;

/**
 * Returns a function that asks the platform whether a login is valid: the user's password or API token. It rejects when
 * the platform does not answer.
 */
export function platformLogin(platformUrl: string): (user: string, secret: string) => Promise<boolean> {
  return async (user, secret) => {
    const authorization = basicHeader(`${user}:${secret}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${platformUrl}/auth`, { headers: { authorization }, signal });
    const body: unknown = await response.json();
    throwIfThrottled(response);
    if (response.status === 401 || response.status === 403) return false;
    if (!response.ok) throw new Error(`The platform answered a login with ${response.status}.`);
    // A platform may accept an alias; the alias may be the name of another owner here.
    return typeof body === 'object' && body !== null && 'user' in body && body.user === user;
  };
}

/** The same for a stack that has its users itself: the service's own API accepts the login or not. */
export function serviceLogin(url: string): (user: string, secret: string) => Promise<boolean> {
  return async (user, secret) => {
    const authorization = basicHeader(`${user}:${secret}`);
    const address = `${url}/1/status/${encodeURIComponent(user)}/webhooks?limit=1`;
    const response = await fetch(address, { headers: { authorization }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    throwIfThrottled(response);
    if (response.status === 401 || response.status === 403) return false;
    if (!response.ok) throw new Error(`The service answered a login with ${response.status}.`);
    return true;
  };
}

function throwIfThrottled({ status, headers }: Response): void {
  if (status === 429) throw new LoginThrottled(headers.get('retry-after') ?? '1');
}
