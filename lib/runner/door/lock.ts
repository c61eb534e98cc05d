import type { IncomingMessage } from 'node:http';
import { basicText } from '../../../functions/core/basic-auth.ts';
import type { passwordCheck } from '../../../functions/core/users/passwords.ts';
import type { Refusal } from '../../http/refusal.ts';
import { type AppSpec, appKey } from '../calls.ts';

/** Returns why a request is not let in, and undefined for one that is; `none` when nobody is asked for a password. */
export type Lock = (request: IncomingMessage) => Promise<Refusal | undefined> | 'none';

/** Returns the lock of an application, as it is described when a request comes. */
export function appLock(now: () => AppSpec, isRight: ReturnType<typeof passwordCheck>): Lock {
  return ({ headers }) => {
    const { user, app, password } = now();
    if (!password) return 'none';
    const text = basicText(headers.authorization);
    const asks = {
      status: 401,
      sentence: `${app} asks for a password.`,
      headers: { 'www-authenticate': `Basic realm="${app}"` },
    };
    if (text === null || !text.includes(':')) return Promise.resolve(asks);
    const secret = text.slice(text.indexOf(':') + 1);
    return isRight({ user, door: appKey({ user, app }) }, secret, password).then(
      (isIn) => (isIn ? undefined : asks),
      () => TOO_MANY,
    );
  };
}

const TOO_MANY: Refusal = {
  status: 429,
  sentence: 'Too many passwords are being checked; try again in 2 s.',
  headers: { 'retry-after': '2' },
};
