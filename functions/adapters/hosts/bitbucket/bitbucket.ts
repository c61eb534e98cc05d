import { defineHost } from '../define-host.ts';

/** Bitbucket Cloud (`https://api.bitbucket.org/2.0`). See `RepositoryHost` for the codes. */
export const bitbucket = defineHost({
  kind: 'bitbucket',
  name: 'Bitbucket Cloud',
  dialect: async (web) => (await import('./dialect.ts')).dialectAt(web),
  api: 'REST API 2.0',
  calls: {
    status: 'POST repositories/OWNER/NAME/commit/SHA/statuses/build',
    compare: 'GET repositories/OWNER/NAME/commits',
    pairing: 'GET user',
  },
  tested: 'a strict mock of the documented API',
});
