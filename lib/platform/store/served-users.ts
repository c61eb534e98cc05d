import { HttpError } from '../../http/http-error.ts';
import type { Apps } from './apps.ts';

export type ServedUsers = ReturnType<typeof servedUsers>;

/**
 * The users whose applications run: those with these names, or until there are any, all who have applications, and a new one
 * may be anybody.
 */
export function servedUsers({ list }: Pick<Apps, 'list'>, names?: readonly string[]) {
  let served = names;
  const all = async () => served ?? [...new Set((await list()).map(({ user }) => user))];
  return {
    list: all,
    /** Returns the user when there is one only: names of applications need not have that of the user then. */
    only: async (): Promise<string | undefined> => {
      const [first, second] = await all();
      return second === undefined ? first : undefined;
    },
    /** Throws 404 for a user who is none of them. */
    check: async (user: string) => {
      if (served?.includes(user) === false) throw new HttpError(404, `There is no user ${user}.`);
    },
    /** Replaces the users. */
    set: (given: readonly string[]) => {
      served = given;
    },
  };
}
