import { OperatorError } from '../processes/operator-error.ts';
import type { Login } from './config/users.ts';
import { platformLogin } from './platform-login.ts';
import type { StackUsers } from './stack-users.ts';

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
export function remoteUsers({ url, token }: RemotePlatform): StackUsers {
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
    keepUsers: async () => {},
  };
}
