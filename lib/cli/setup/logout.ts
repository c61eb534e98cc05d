import type { CommandDefinition } from '../command.ts';
import { deleteLogin, loginFile } from '../service/stored-login.ts';

export const logout: CommandDefinition = {
  name: 'logout',
  summary: 'Delete the stored login',
  details: 'An API token stays valid: "hooks tokens revoke <name>" ends it.',
  examples: [['hooks logout', 'the other commands ask this machine again, or HOOKS_URL']],
  run: async ({ env, print }) => {
    const had = await deleteLogin(env);
    print(had ? `The login in ${loginFile(env)} is deleted.` : 'There was no login.');
    return 0;
  },
};
