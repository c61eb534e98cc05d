import { defineHost } from '../define-host.ts';

/** Gitea (`https://HOST/api/v1`). See `RepositoryHost` for the codes. */
export const gitea = defineHost({
  kind: 'gitea',
  name: 'Gitea',
  alsoKinds: ['forgejo'],
  dialect: async () => (await import('./dialect.ts')).dialect,
  api: 'REST API v1',
  tested: 'a strict mock of the documented API',
});

/** Forgejo, whose API is the same as Gitea's. */
export const forgejo = defineHost({
  ...gitea,
  kind: 'forgejo',
  name: 'Forgejo',
  alsoKinds: ['gitea'],
  tested: 'the same mock',
});
