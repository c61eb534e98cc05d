import type { CommitRef, RepositoryRef } from '../../../functions/core/payload/delivery.ts';

/** The host's name in the service is not the sender's business. */
type Named<Ref> = Omit<Ref, 'host'>;

const NONE = '0'.repeat(40);

/** A repository of the host at `web`, as GitHub's calls tell of it. */
export function githubRepository(web: string, { owner, name }: Named<RepositoryRef>) {
  const html_url = `${web}/${owner}/${name}`;
  return { name, full_name: `${owner}/${name}`, owner: { login: owner }, private: false, html_url };
}

/** The body of GitHub's call about a push of a commit to `main`; without the commit before, of a new branch. */
export function githubPush(web: string, commit: Named<CommitRef>, before = NONE) {
  return {
    ref: 'refs/heads/main',
    before,
    after: commit.sha,
    created: before === NONE,
    deleted: false,
    forced: false,
    head_commit: { id: commit.sha, message: 'A change', author: { name: 'Ann' } },
    repository: githubRepository(web, commit),
  };
}
