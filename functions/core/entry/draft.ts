import { SWEEP_AFTER_MS } from '../pipeline/pipeline.ts';
import type { AppendRequest, Draft, DraftFields } from '../ports/log.ts';
import type { BranchTip } from '../ports/repository-host.ts';
import { oneLine } from '../text.ts';
import type { Entry } from './entry.ts';
import type { Kind } from './kinds.ts';

type DraftWithout = Pick<DraftFields, 'user' | 'uuid' | 'base' | 'provider' | 'stage' | 'receivedAt'> &
  Partial<DraftFields> &
  Kind;

/** Returns the draft of an entry that no webhook asked for: what is not given is empty. */
export function blankDraft(given: DraftWithout): Draft {
  return {
    appName: null,
    status: 'queued',
    repository: null,
    sha: null,
    branch: null,
    ref: null,
    before: null,
    forced: false,
    message: null,
    author: null,
    delivery: null,
    updatedAt: given.receivedAt,
    finishedAt: null,
    reason: null,
    error: null,
    stages: [],
    snapshot: null,
    url: null,
    logTail: [],
    tarball: null,
    manifest: null,
    ...given,
  };
}

/** Returns what stores a draft. `origin` is kept of who or what asked for it, in place of a webhook's payload. */
export function appendRequest(draft: Draft, origin: object, effects: Partial<AppendRequest>): AppendRequest {
  const payload = new TextEncoder().encode(JSON.stringify(origin));
  return { draft, payload, dueAt: draft.receivedAt + SWEEP_AFTER_MS, ...effects };
}

/** Returns the fields of an entry about the commit at a branch's tip: the first line of its message, and its author. */
export function commitInfo({ message, author }: BranchTip): Pick<Entry, 'message' | 'author'> {
  return { message: oneLine(message ?? '', 200), author: oneLine(author ?? '', 100) };
}
