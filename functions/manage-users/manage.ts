import { badParameter } from '../core/errors.ts';
import type { Users } from '../core/ports/accounts.ts';

export interface UserRequest {
  readonly operation?: unknown;
  readonly user?: unknown;
  /** For `add` and `password`; without one it is made. */
  readonly password?: unknown;
  /** Name of the API token, for `token` and `revoke`. */
  readonly name?: unknown;
}

type Operation = (users: Users, request: { readonly user: string; readonly request: UserRequest }) => Promise<unknown>;

const operations: Readonly<Record<string, Operation | undefined>> = {
  list: async (users) => ({ users: await users.list() }),
  add: (users, { user, request }) => users.add(user, optionalText(request.password)),
  password: (users, { user, request }) => users.setPassword(user, optionalText(request.password)),
  token: (users, { user, request }) => users.makeToken(user, textOf(request.name)),
  revoke: async (users, { user, request }) => ({ revoked: await users.revokeToken(user, textOf(request.name)) }),
  remove: async (users, { user }) => ({ removed: await users.remove(user) }),
};

/** Returns the answer to an operator; throws `request:bad_parameter` for what cannot be done. */
export async function manage(request: UserRequest, users: Users): Promise<unknown> {
  const { operation, user } = request;
  const chosen =
    typeof operation === 'string' && Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (chosen) return chosen(users, { user: textOf(user), request });
  const detail = `The operation is one of ${Object.keys(operations).join(', ')}.`;
  throw badParameter(detail);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : textOf(value);
}
