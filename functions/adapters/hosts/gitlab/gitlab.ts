import { defineHost } from '../define-host.ts';

/** GitLab, .com and self-managed (`https://HOST/api/v4`). See `RepositoryHost` for the codes. */
export const gitlab = defineHost({
  kind: 'gitlab',
  name: 'GitLab (.com and your own)',
  dialect: async () => (await import('./dialect.ts')).dialect,
  api: 'REST API v4',
  calls: {
    status: 'POST projects/OWNER%2FNAME/statuses/SHA',
    compare: 'GET projects/OWNER%2FNAME/repository/merge_base',
    pairing: 'GET user, GET personal_access_tokens/self',
  },
  tested: 'a strict mock of the documented API',
});
