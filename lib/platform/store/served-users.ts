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
    has: async (user: string) => served?.includes(user) ?? true,
    /** Replaces the users. */
    set: (given: readonly string[]) => {
      served = given;
    },
  };
}
