import { defineHost } from '../define-host.ts';

/** GitLab, .com and self-managed (`https://HOST/api/v4`). See `RepositoryHost` for the codes. */
export const gitlab = defineHost({
  kind: 'gitlab',
  name: 'GitLab (.com and your own)',
  dialect: async () => (await import('./dialect.ts')).dialect,
  api: 'REST API v4',
  tested: 'a strict mock of the documented API',
});
