import * as v from 'valibot';
import { OperatorError } from '../processes/operator-error.ts';
import type { Login } from './config/users.ts';

/** The part of the running stack that has users. */
interface UserStack {
  readonly template: { readonly outputs: Readonly<Record<string, string>> };
  invoke(name: string, event: unknown): Promise<unknown>;
}

/** The function's answer when it refuses. */
const Refusal = v.object({ error: v.string() });

/** The function's answer to `list`. */
const Listed = v.object({ users: v.array(v.object({ user: v.string() })) });

/** The users of the stack. */
export interface StackUsers {
  /** Makes a user, or gives the user this password. */
  ensureUser(login: Login): Promise<void>;
  /** Removes all other users with their API tokens; their applications stay. */
  keepUsers(names: readonly string[]): Promise<void>;
}

/** Returns the users of the stack, by the function that an operator would use on AWS. */
export function stackUsers({ template, invoke }: UserStack): StackUsers {
  const manage = (request: object) => invoke(template.outputs.ManageUsers ?? 'ManageUsers', request);
  const refusalOf = async (request: object): Promise<string | undefined> => {
    const answer = await manage(request);
    return v.is(Refusal, answer) ? answer.error : undefined;
  };
  return {
    ensureUser: async (login) => {
      // The password of a user that is there may have changed.
      if ((await refusalOf({ operation: 'password', ...login })) === undefined) return;
      const refusal = await refusalOf({ operation: 'add', ...login });
      if (refusal !== undefined) throw new OperatorError(`The user ${login.user} could not be made: ${refusal}`);
    },
    keepUsers: async (names) => {
      const { users } = v.parse(Listed, await manage({ operation: 'list' }));
      const others = users.filter(({ user }) => !names.includes(user));
      for (const { user } of others) {
        const refusal = await refusalOf({ operation: 'remove', user });
        if (refusal !== undefined) throw new OperatorError(`The user ${user} could not be removed: ${refusal}`);
      }
    },
  };
}
