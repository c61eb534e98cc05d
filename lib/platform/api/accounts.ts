import { jsonBody } from '../http/json-body.ts';
import type { VerifyPassword } from '../http/passwords.ts';
import { type Route, userOf } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { OneOffs } from '../run/jobs/one-offs.ts';
import type { Runners } from '../run/runners.ts';
import type { Apps } from '../store/apps.ts';
import { removeThirdParty, storeThirdParty } from '../store/third-party-tokens.ts';
import { createToken, listTokens, revokeToken } from '../store/tokens.ts';
import type { Users } from '../store/users.ts';

/** The calls about users: `/auth`, records, API tokens, third-party tokens. */
export function accountRoutes(users: Users, bodyBytes: number): readonly Route[] {
  return [
    { method: 'GET', path: '/auth', run: async ({ caller }) => ({ status: 200, body: { user: caller.user } }) },
    {
      method: 'GET',
      path: '/users/:user',
      run: async (call) => ({ status: 200, body: (await users.get(userOf(call))).record }),
    },
    {
      method: 'PUT',
      path: '/users/:user',
      run: async (call) => {
        const record = await jsonBody(call.request, bodyBytes);
        const changed = await users.change(userOf(call), (user) => ({ ...user, record }));
        return { status: 200, body: changed.record };
      },
    },
    ...tokenRoutes(users, bodyBytes),
    ...thirdPartyRoutes(users, bodyBytes),
  ];
}

function tokenRoutes(users: Users, bodyBytes: number): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/users/:user/tokens',
      run: async (call) => ({ status: 200, body: { tokens: listTokens(await users.get(userOf(call))) } }),
    },
    {
      method: 'POST',
      path: '/users/:user/tokens',
      run: async (call) => {
        // A stolen token must not be able to make itself a successor.
        if (call.caller.with !== 'password') throw new HttpError(403, 'API tokens are made with the password only.');
        const { name } = await jsonBody(call.request, bodyBytes);
        if (typeof name !== 'string') throw new HttpError(400, 'The field name is missing: what the token is for.');
        return { status: 201, body: await createToken(users, userOf(call), name) };
      },
    },
    {
      method: 'DELETE',
      path: '/users/:user/tokens/:name',
      run: async (call) => {
        await revokeToken(users, userOf(call), call.param('name'));
        return { status: 204 };
      },
    },
  ];
}

function thirdPartyRoutes(users: Users, bodyBytes: number): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/users/:user/thirdparty',
      run: async (call) => ({ status: 200, body: { thirdparty: (await users.get(userOf(call))).thirdparty } }),
    },
    {
      method: 'POST',
      path: '/users/:user/thirdparty',
      run: async (call) => {
        const body = await jsonBody(call.request, bodyBytes);
        return { status: 201, body: await storeThirdParty(users, userOf(call), body) };
      },
    },
    {
      method: 'DELETE',
      path: '/users/:user/thirdparty/:id',
      run: async (call) => {
        await removeThirdParty(users, userOf(call), call.param('id'));
        return { status: 204 };
      },
    },
  ];
}

/** Makes a user, or gives the user another password. */
export async function ensureUser(
  { users: store, verify }: { readonly users: Users; readonly verify: VerifyPassword },
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> {
  const known = await store.find(user);
  if (!known) await store.create(user, password);
  else if (!(await verify({ user, password, stored: known.password }))) await store.setPassword(user, password);
}

interface KeptParts {
  readonly users: Users;
  readonly apps: Apps;
  readonly runners: Runners;
  readonly oneOffs: Pick<OneOffs, 'end'>;
}

/**
 * Removes all users but these, and stops their applications. The login is refused first, so that nothing is started
 * again meanwhile.
 */
export async function keepUsers(
  { users: store, apps, runners, oneOffs }: KeptParts,
  names: readonly string[],
): Promise<void> {
  for (const user of await store.list()) {
    if (names.includes(user)) continue;
    await store.remove(user);
    for (const app of await apps.list(user)) {
      await oneOffs.end(app);
      if ((await apps.find(app))?.wanted === 'running') await runners.of(app).stop();
    }
  }
}
