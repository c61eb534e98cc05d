import { OperatorError } from '../../files/errors.ts';
import { HttpError, messageOf } from '../../http/http-error.ts';
import type { VerifyPassword } from '../http/passwords.ts';
import { NO_CONTENT, ok, type Routes, userOf } from '../http/route.ts';
import type { Runners } from '../runner/runners.ts';
import type { Log } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import { createToken, listTokens, removeThirdParty, revokeToken, storeThirdParty } from '../store/tokens.ts';
import type { Users } from '../store/users.ts';
import type { ApiParts } from './parts.ts';

/** The calls about users: `/auth`, records, API tokens, third-party tokens. */
export function accountRoutes({ users }: Pick<ApiParts, 'users'>): Routes {
  return {
    'GET /auth': async ({ caller }) => {
      // The service's token is accepted for any name.
      if (caller.with === 'service' && !(await users.find(caller.user))) {
        throw new HttpError(401, `There is no user ${caller.user}.`);
      }
      return ok({ user: caller.user });
    },
    'GET /users/:user': async (call) => ok((await users.get(userOf(call))).record),
    'PUT /users/:user': async (call) => {
      const record = await call.json();
      return ok((await users.change(userOf(call), (user) => ({ ...user, record }))).record);
    },
    'GET /users/:user/tokens': async (call) => ok({ tokens: listTokens(await users.get(userOf(call))) }),
    'POST /users/:user/tokens': async (call) => {
      // A stolen token must not be able to make itself a successor.
      if (call.caller.with !== 'password') throw new HttpError(403, 'API tokens are made with the password only.');
      const { name } = await call.json();
      if (typeof name !== 'string') throw new HttpError(400, 'The field name is missing: what the token is for.');
      return { status: 201, body: await createToken(users, userOf(call), name) };
    },
    'DELETE /users/:user/tokens/:name': async (call) => {
      await revokeToken(users, userOf(call), call.param('name'));
      return NO_CONTENT;
    },
    'GET /users/:user/thirdparty': async (call) => ok({ thirdparty: (await users.get(userOf(call))).thirdparty }),
    'POST /users/:user/thirdparty': async (call) => ({
      status: 201,
      body: await storeThirdParty(users, userOf(call), await call.json()),
    }),
    'DELETE /users/:user/thirdparty/:id': async (call) => {
      await removeThirdParty(users, userOf(call), call.param('id'));
      return NO_CONTENT;
    },
  };
}

interface TakenInParts {
  readonly users: Users;
  readonly verify: VerifyPassword;
  readonly runners: Pick<Runners, 'resume' | 'tellAll'>;
  readonly log: Log;
}

/**
 * Makes a user, whose applications of an earlier time run again, or gives the user another password. One whose record is
 * damaged is reported and left as it is: nobody can log in, and the applications run.
 */
export async function ensureUser(
  { users: store, verify, runners, log }: TakenInParts,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> {
  const known = await store.find(user).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
    log({ type: 'platform.damaged', user, detail: error.message });
    return null;
  });
  if (known === null) return;
  if (!known) {
    await store.create(user, password);
    // The names of applications of an only user are shorter.
    await runners.tellAll();
    // They may take minutes to answer.
    runners.resume(user).catch((error) => log({ type: 'platform.error', user, detail: messageOf(error) }));
  } else if (!(await verify({ user, password, stored: known.password }))) await store.setPassword(user, password);
}

interface KeptParts {
  readonly users: Users;
  readonly apps: Apps;
  readonly runners: Pick<Runners, 'end' | 'tellAll'>;
}

/**
 * Removes all users but these, and ends their applications, which run again when the user is taken in again. The login
 * is refused first, so that nothing is started again meanwhile.
 */
export async function keepUsers({ users: store, apps, runners }: KeptParts, names: readonly string[]): Promise<void> {
  for (const user of await store.list()) {
    if (names.includes(user)) continue;
    await store.remove(user);
    for (const app of await apps.list(user)) await runners.end(app);
  }
  await runners.tellAll();
}
