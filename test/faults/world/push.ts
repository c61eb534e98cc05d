import type { FakeCommit, FakeHost, FakeRepository } from './host.ts';

/** Returns the payload of a push of a commit, as GitHub sends it. */
export function pushOf(host: FakeHost, { owner, name, commits }: FakeRepository, { sha }: FakeCommit): object {
  const before = commits[commits.findIndex((commit) => commit.sha === sha) - 1]?.sha ?? '0'.repeat(40);
  return {
    ref: 'refs/heads/main',
    before,
    after: sha,
    created: before.startsWith('0000000'),
    deleted: false,
    forced: false,
    head_commit: { id: sha, message: 'A change', author: { name: 'Ann' } },
    repository: {
      name,
      full_name: `${owner}/${name}`,
      owner: { login: owner },
      private: false,
      html_url: `${host.url}/${owner}/${name}`,
    },
  };
}
