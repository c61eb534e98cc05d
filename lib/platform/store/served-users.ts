import type { Apps } from './apps.ts';

/** The users whose applications run. */
export interface ServedUsers {
  list(): Promise<readonly string[]>;
  /** Returns the user when there is one only: names of applications need not have that of the user then. */
  only(): Promise<string | undefined>;
  has(user: string): Promise<boolean>;
  /** Replaces the users. */
  set(names: readonly string[]): void;
}

/** Returns the users with these names; until there are any, all who have applications, and a new one may be anybody. */
export function servedUsers({ list }: Pick<Apps, 'list'>, names?: readonly string[]): ServedUsers {
  let known = names;
  const all = async () => known ?? [...new Set((await list()).map(({ user }) => user))];
  return {
    list: all,
    only: async () => {
      const [first, second] = await all();
      return second === undefined ? first : undefined;
    },
    has: async (user) => known?.includes(user) ?? true,
    set: (given) => {
      known = given;
    },
  };
}
