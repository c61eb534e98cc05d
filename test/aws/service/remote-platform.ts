import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import * as v from 'valibot';
import type { Login } from '../../../lib/local/config/users.ts';
import { platformLogin } from '../../../lib/local/platform-login.ts';
import type { ServiceUsers } from '../../../lib/local/service-users.ts';
import { OperatorError } from '../../../lib/processes/operator-error.ts';

const TIMEOUT_MS = 10_000;
const MadeToken = v.object({ token: v.string() });

/** A platform that runs elsewhere, such as `npm run platform` on another machine. */
export interface RemotePlatform {
  /** Address of its API; https, or this machine. */
  readonly url: string;
  /** The token with which it lets the service act for its users. */
  readonly token: string;
}

/** Whether passwords may be sent to an address: it is https, or of this machine. */
export function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password || url.search || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:127\.0\.0\.1|localhost)$/.test(url.hostname));
}

/**
 * Returns the users of such a platform. It has them itself: that a user of this machine is known there, with the same
 * password, can only be checked, and nobody is removed.
 */
export function remoteUsers({ url, token }: RemotePlatform, dataDir: string): ServiceUsers {
  const logIn = platformLogin(url);
  const accepts = (user: string, secret: string) =>
    logIn(user, secret).catch((cause: unknown) => {
      throw new OperatorError(`There is no platform that answers at ${url}: start it first, and check the address.`, {
        cause,
      });
    });
  return {
    ensureUser: async ({ user, password }: Login) => {
      if (!(await accepts(user, password))) {
        throw new OperatorError(
          `The platform at ${url} refuses the password of the user ${user}: it must be the same there and in the data folder.`,
        );
      }
      if (!(await accepts(user, token))) {
        throw new OperatorError(`The platform at ${url} refuses the token of the service.`);
      }
    },
    renewToken: async ({ user, password }, name) => {
      const login = { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
      const tokens = `${url}/users/${encodeURIComponent(user)}/tokens`;
      const ofThisService = `${name}-${digestOf(dataDir)}`;
      const call = (address: string, init: RequestInit) =>
        fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await call(`${tokens}/${ofThisService}`, { method: 'DELETE', headers: login });
      const headers = { ...login, 'content-type': 'application/json' };
      const made = await call(tokens, { method: 'POST', headers, body: JSON.stringify({ name: ofThisService }) });
      const body: unknown = await made.json().catch(() => undefined);
      // Another platform may have no tokens, and a user may have as many as there may be.
      return v.is(MadeToken, body) ? body.token : password;
    },
    keepUsers: async () => {},
  };
}

/** Several services may use one platform, and each has a token of its own there. */
function digestOf(dataDir: string): string {
  return createHash('sha256').update(`${hostname()}:${dataDir}`).digest('hex').slice(0, 8);
}
