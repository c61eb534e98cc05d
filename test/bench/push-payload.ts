import { randomBytes } from 'node:crypto';
import { githubPush } from '../support/senders/github-push.ts';

const BODY_BYTES = 12_000;

/** Returns GitHub's payload for the push of a new commit to `<owner>/bench`: JSON of 12 kB. */
export function pushPayload(owner: string, repositories: string): string {
  const sha = randomBytes(20).toString('hex');
  const push = githubPush(repositories, { owner, name: 'bench', sha }, randomBytes(20).toString('hex'));
  return JSON.stringify({ ...push, commits: filler });
}

const commit = {
  id: 'e'.repeat(40),
  message: 'One of the commits of this push',
  added: ['lib/file.ts'],
  author: { name: 'user-1' },
};
/** Not made for each push: the sender shares the processors with what is measured. */
const filler = Array.from({ length: Math.ceil(BODY_BYTES / JSON.stringify(commit).length) - 3 }, () => commit);
