import { githubPush } from '../../support/senders/github-push.ts';
import type { FakeCommit, FakeHost, FakeRepository } from './host.ts';

/** Returns the payload of a push of a commit, as GitHub sends it. */
export function pushOf({ url }: FakeHost, { owner, name, commits }: FakeRepository, { sha }: FakeCommit): object {
  const before = commits[commits.findIndex((commit) => commit.sha === sha) - 1]?.sha;
  return githubPush(url, { owner, name, sha }, before);
}
