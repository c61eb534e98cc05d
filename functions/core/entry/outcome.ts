import { isCommitId } from '../payload/delivery.ts';
import type { CommitStatus } from '../ports/repository-host.ts';
import { oneLine } from '../text.ts';
import type { Entry } from './entry.ts';
import { isDeploy } from './kinds.ts';

/** The state that the badge of a repository shows. */
export type Badge = 'ok' | 'failed' | 'crashed' | 'deploying' | 'held' | 'unknown';

/** Returns the badge that an entry gives its repository; null when the entry does not change the badge. */
export function badgeOf({ status }: Pick<Entry, 'status'>): Exclude<Badge, 'unknown'> | null {
  switch (status) {
    case 'ok':
      return 'ok';
    case 'error':
    case 'expired':
      return 'failed';
    case 'crashed':
      return 'crashed';
    case 'queued':
    case 'running':
      return 'deploying';
    case 'held':
      return 'held';
    default:
      return null;
  }
}

/**
 * Returns the state of the commit status that an entry asks for; null when it asks for none. The status contains the
 * application's name, so nothing is pending before it is known. Every end of an entry replaces `pending`. A commit that
 * is in a stranger's repository only gets none, nor one whose id is not known.
 */
export function commitStatusOf(entry: Entry): CommitStatus['state'] | null {
  const { status, appName, repository, sha, pullRequest } = entry;
  if (!isDeploy(entry) || !repository || !sha || !isCommitId(sha) || pullRequest?.source) return null;
  if (status === 'error' || status === 'crashed') return 'failure';
  if (appName === null) return null;
  switch (status) {
    case 'queued':
    case 'running':
    case 'held':
      return 'pending';
    case 'ok':
      return 'success';
    case 'skipped':
      return 'failure';
    case 'expired':
    case 'superseded':
    case 'cancelled':
      return 'error';
    default:
      return null;
  }
}

/** GitHub's limit for the description of a commit status. */
const MAX_DESCRIPTION_CHARACTERS = 140;

/** Returns what repository hosts say of an entry, on one line. */
export function descriptionOf({ status, url, reason, error, appName }: Entry): string {
  return oneLine(said(), MAX_DESCRIPTION_CHARACTERS) ?? status;

  function said(): string {
    if (status === 'ok') return `Deployed: ${url ?? appName ?? ''}`;
    if (status === 'error') return `${error?.code}: ${error?.detail}`;
    return reason ?? 'Deploying';
  }
}

/** Whether an entry has ended without a deploy that succeeded or failed, so that another one may speak for its commit. */
export function isNeedless({ status }: Pick<Entry, 'status'>): boolean {
  return ['superseded', 'cancelled', 'skipped', 'expired'].includes(status);
}
