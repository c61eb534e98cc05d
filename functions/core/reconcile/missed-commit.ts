import { appendRequest, blankDraft, commitInfo } from '../entry/draft.ts';
import type { Entry } from '../entry/entry.ts';
import { type CiChoice, ciChoice, type Preview, type PullRequestOf } from '../entry/kinds.ts';
import { RECONCILED } from '../entry/providers.ts';
import { trackOf } from '../entry/track.ts';
import { askedNot } from '../payload/branch.ts';
import type { RepositoryRef } from '../payload/delivery.ts';
import { skips } from '../payload/skip-words.ts';
import type { BranchFacts, TrackedApp } from '../ports/facts.ts';
import type { AppendRequest } from '../ports/log.ts';
import type { BranchTip } from '../ports/repository-host.ts';
import { previewCi } from '../preview/preview.ts';

/** The request, or the run of the schedule, that has found a commit. */
export interface Finder {
  readonly uuid: string;
  /** The address of the service; null where no request names it. */
  readonly base: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the API token of the request. */
  readonly token?: string | undefined;
}

/**
 * Returns the key of a commit at the tip of a branch of which the log knows these facts: whoever of those that know the
 * same finds it, one entry is made.
 */
export function tipKey(
  { host, owner, name, track }: RepositoryRef & { readonly track: string },
  sha: string,
  known: Pick<BranchFacts, 'tip' | 'newest'>,
): string {
  return [RECONCILED, host, owner, name, sha, track, known.tip, known.newest].join('#').toLowerCase();
}

interface MissedCommit {
  readonly app: Pick<TrackedApp, 'user' | 'owner' | 'branch'>;
  readonly tip: BranchTip;
  /** The newest deploy of the branch, or of another pull request: how it came is how the missed call would have come. */
  readonly latest: Entry;
  /** The choice of the hook for its pushes; absent when it makes none. */
  readonly hook?: CiChoice | undefined;
  /** The pull request, when the commit is its head. */
  readonly pull?: Pick<PullRequestOf, 'number' | 'fromFork' | 'source'>;
  /** What the log knows of the branch, or of the pull request. */
  readonly facts: Pick<BranchFacts, 'tip' | 'newest'>;
  /**
   * The entry after which it is deployed again: the removal of a preview whose pull request was reopened since, or what is
   * live and not on the branch any more. Null when it was missed.
   */
  readonly again: number | null;
  /** Why it must not be deployed automatically, apart from what its own message says; null when it may. */
  readonly against: string | null;
}

/**
 * Returns the entry of a missed commit, as its call would have made it. It is made once for each commit of a branch or a
 * pull request, also when the schedule and a user find it at the same moment.
 */
export function appendMissed(
  { app, tip, latest, hook, facts, against, again, pull }: MissedCommit,
  { uuid, base, at, token }: Finder,
): AppendRequest {
  const { user, owner, branch } = app;
  // The words count in the message of a commit, and not in the title of a pull request.
  const skip = pull ? null : skips(tip.message ?? '');
  const reason = skip?.deploy ? askedNot(skip.words) : against;
  const { host, owner: repositoryOwner, name, path, environment } = owner;
  const draft = blankDraft({
    user,
    uuid,
    base: base ?? latest.base,
    token,
    provider: RECONCILED,
    stage: 'check',
    receivedAt: at,
    repository: latest.repository && { ...latest.repository, host, owner: repositoryOwner, name },
    sha: tip.sha,
    branch,
    ref: pull ? null : `refs/heads/${branch}`,
    ...commitInfo(tip),
    path,
    environment,
    ...(pull ? previewOf(pull, latest) : { kind: 'push', ci: ciChoice(hook, skip), skipsCi: skip?.providers }),
    ...(again !== null && { forced: true }),
    ...(reason !== null && { status: 'skipped', reason, finishedAt: at }),
  });
  const track = trackOf({ ...owner, branch });
  const key = tipKey({ host, owner: repositoryOwner, name, track }, tip.sha, facts);
  const origin = { reconciled: { branch, tip: tip.sha } };
  return appendRequest(draft, origin, {
    isNewestPush: reason === null,
    isTip: true,
    skip: skip?.deploy ? skip.words : null,
    deliveryKey: again === null ? key : `${key}#${again}`,
  });
}

/** Whether it waits for CI is in the hook's address, too. */
function previewOf(pull: NonNullable<MissedCommit['pull']>, latest: Entry): Preview {
  const pullRequest = { ...pull, ci: latest.pullRequest?.ci };
  return { kind: 'preview', pullRequest, ci: previewCi(pullRequest) };
}
