import * as v from 'valibot';
import type { EngineUsers } from '../../../lib/engine/users.ts';
import { OperatorError } from '../../../lib/files/errors.ts';

/** The part of the running stack that has users. */
interface UserStack {
  readonly template: { readonly outputs: Readonly<Record<string, string>> };
  invoke(name: string, event: unknown): Promise<unknown>;
}

/** The function's answer when it refuses. */
const Refusal = v.object({ error: v.string() });

/** Makes users. */
export type StackUsers = Pick<EngineUsers, 'ensure'>;

/** Returns the users of the stack, by the function that an operator would use on AWS. */
export function stackUsers({ template, invoke }: UserStack): StackUsers {
  const manage = (request: object) => invoke(template.outputs.ManageUsers ?? 'ManageUsers', request);
  const refusalOf = async (request: object): Promise<string | undefined> => {
    const answer = await manage(request);
    return v.is(Refusal, answer) ? answer.error : undefined;
  };
  return {
    ensure: async (login) => {
      // The password of a user that is there may have changed.
      if ((await refusalOf({ operation: 'password', ...login })) === undefined) return;
      const refusal = await refusalOf({ operation: 'add', ...login });
      if (refusal !== undefined) throw new OperatorError(`The user ${login.user} could not be made: ${refusal}`);
    },
  };
}
