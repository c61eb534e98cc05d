import type { BuildResult, Notice, PullRequest, Push } from '../../../functions/core/payload/delivery.ts';
import { sha } from '../entries.ts';

const repository = { hostname: 'memory.example.com', owner: 'ann', name: 'shop', url: null, private: false };

/** A push of commit `aaaa…` to `master`, as a sender reads it. */
export function push(patch: Partial<Push> = {}): Push {
  return {
    kind: 'push',
    provider: 'github',
    hostKind: 'github',
    id: 'delivery-1',
    repository,
    ref: 'refs/heads/master',
    branch: 'master',
    sha: sha('a'),
    before: null,
    forced: false,
    message: 'First',
    author: 'Ann',
    skip: null,
    ...patch,
  };
}

/** A passed build of commit `aaaa…` of `master`. */
export function build(patch: Partial<BuildResult> = {}): BuildResult {
  return {
    kind: 'build',
    provider: 'travis',
    hostKind: 'github',
    id: 'build-1',
    repository,
    sha: sha('a'),
    branch: 'master',
    check: 'travis',
    outcome: 'passed',
    state: 'Passed',
    pullRequest: false,
    message: 'First',
    author: 'Ann',
    skip: null,
    ...patch,
  };
}

/** A pull request of commit `aaaa…`, which was opened. */
export function pull(patch: Partial<PullRequest> = {}): PullRequest {
  return {
    ...{ kind: 'pull', provider: 'github', hostKind: 'github', id: 'pull-1', repository, number: 7, branch: 'changes' },
    ...{ sha: sha('a'), before: null, closed: false, draft: false, fromFork: false, title: 'Blue', author: 'Ann' },
    ...patch,
  };
}

/** A ping. */
export function notice(patch: Partial<Notice> = {}): Notice {
  return { kind: 'notice', provider: 'github', id: 'ping-1', repository, reason: 'The ping has arrived.', ...patch };
}
