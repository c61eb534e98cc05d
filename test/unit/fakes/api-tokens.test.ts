import { apiTokensContract } from '../../contracts/api-tokens.ts';
import { memoryApiTokens } from '../../fakes/api-tokens.ts';

apiTokensContract('the tokens in memory', async () => {
  const login = { user: 'kiwi', secret: 'password of kiwi' };
  return { tokens: memoryApiTokens({ user: 'kiwi', password: login.secret }), login, close: async () => {} };
});
