import { randomBytes } from 'node:crypto';

const BODY_BYTES = 12_000;

/** Returns GitHub's payload for the push of a new commit to `<owner>/bench`: JSON of 12 kB. */
export function pushPayload(owner: string, repositories: string): string {
  const sha = randomBytes(20).toString('hex');
  const push = {
    ref: 'refs/heads/main',
    before: randomBytes(20).toString('hex'),
    after: sha,
    created: false,
    deleted: false,
    forced: false,
    repository: {
      name: 'bench',
      full_name: `${owner}/bench`,
      owner: { name: owner, login: owner },
      html_url: `${repositories}/${owner}/bench`,
      private: false,
      default_branch: 'main',
    },
    head_commit: { id: sha, message: 'A commit', author: { name: owner } },
    pusher: { name: owner },
    commits: filler,
  };
  return JSON.stringify(push);
}

const commit = {
  id: 'e'.repeat(40),
  message: 'One of the commits of this push',
  added: ['lib/file.ts'],
  author: { name: 'user-1' },
};
/** Not made for each push: the sender shares the processors with what is measured. */
const filler = Array.from({ length: Math.ceil(BODY_BYTES / JSON.stringify(commit).length) - 3 }, () => commit);
