import { defineHost } from '../define-host.ts';
import { PUBLIC_WEB, RAW_HOST } from './anonymous.ts';

/** GitHub and GitHub Enterprise Server (`https://HOST/api/v3`). See `RepositoryHost` for the codes. */
export const github = defineHost({
  kind: 'github',
  name: 'GitHub, GitHub Enterprise Server',
  dialect: async (web) => (await import('./dialect.ts')).githubDialect(web),
  // Files without a token: see `anonymous.ts`.
  downloadHosts: (web) => (web === PUBLIC_WEB ? [RAW_HOST] : []),
  api: 'REST API, version 2022-11-28',
  tested: 'a strict mock of the documented API; a stack on emulators, over real HTTP and git',
});
