import { defineHost } from '../define-host.ts';

/** Bitbucket Cloud (`https://api.bitbucket.org/2.0`). See `RepositoryHost` for the codes. */
export const bitbucket = defineHost({
  kind: 'bitbucket',
  name: 'Bitbucket Cloud',
  dialect: async (web) => (await import('./dialect.ts')).dialectAt(web),
  api: 'REST API 2.0',
  tested: 'a strict mock of the documented API',
});
