import { defineHost } from '../define-host.ts';

/** GitHub and GitHub Enterprise Server (`https://HOST/api/v3`). See `RepositoryHost` for the codes. */
export const github = defineHost({
  kind: 'github',
  name: 'GitHub, GitHub Enterprise Server',
  dialect: async () => (await import('./dialect.ts')).dialect,
  api: 'REST API, version 2022-11-28',
  calls: {
    status: 'POST repos/OWNER/NAME/statuses/SHA',
    compare: 'GET repos/OWNER/NAME/compare/BASE...HEAD',
    pairing: 'GET user',
  },
  tested: 'a strict mock of the documented API; the embedded host, over real HTTP and git',
});
