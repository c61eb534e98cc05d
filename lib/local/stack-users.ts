import * as v from 'valibot';
import { OperatorError } from '../processes/operator-error.ts';
import type { Login } from './config/users.ts';

/** The part of the running stack that has users. */
interface UserStack {
  readonly template: { readonly outputs: Readonly<Record<string, string>> };
  invoke(name: string, event: unknown): Promise<unknown>;
}

/** What the function answers when it has done nothing. */
const Refusal = v.object({ error: v.string() });

/**
 * Returns a function that makes a user of the stack, or gives the user this password: by the function that an operator
 * would use on AWS.
 */
export function stackUsers({ template, invoke }: UserStack): (login: Login) => Promise<void> {
  const refusalOf = async (operation: string, login: Login): Promise<string | undefined> => {
    const answer = await invoke(template.outputs.ManageUsers ?? 'ManageUsers', { operation, ...login });
    return v.is(Refusal, answer) ? answer.error : undefined;
  };
  return async (login) => {
    // The password of a user that is there may have changed.
    if ((await refusalOf('password', login)) === undefined) return;
    const refusal = await refusalOf('add', login);
    if (refusal !== undefined) throw new OperatorError(`The user ${login.user} could not be made: ${refusal}`);
  };
}
