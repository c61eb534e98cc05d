import { appendRequest, blankDraft } from '../entry/draft.ts';
import type { Entry } from '../entry/entry.ts';
import type { TrackedApp } from '../ports/facts.ts';
import type { AppendRequest } from '../ports/log.ts';
import { previewName } from './preview.ts';

interface Removal {
  readonly preview: TrackedApp;
  /** An entry of the pull request; null when the log has none any more. */
  readonly of: Pick<Entry, 'repository' | 'base'> | null;
  /** The sentence that its entry says as its message. */
  readonly because: string;
  /** Whether it was closed, so that it is deployed again when it is reopened. */
  readonly closed: boolean;
  readonly provider: string;
  readonly uuid: string;
  readonly at: number;
  /** Makes it once for this key; null: as often as it is asked for. */
  readonly once: string | null;
}

/** Returns the entry that removes a preview, as a person's removal would. */
export function removalOf({ preview, of, because, closed, provider, uuid, at, once }: Removal): AppendRequest {
  const { user, app, owner, branch } = preview;
  const { host, owner: repositoryOwner, name, path, pullRequest = { number: 0 } } = owner;
  const appName = previewName(pullRequest.parent ?? app, pullRequest.number);
  const repository = { ...(of?.repository ?? { url: null, private: false }), host, owner: repositoryOwner, name };
  const draft = blankDraft({
    user,
    uuid,
    base: of?.base ?? '',
    provider,
    stage: 'start',
    receivedAt: at,
    kind: 'operation',
    operation: 'remove',
    appName,
    repository,
    branch,
    message: because,
    path,
    pullRequest: { ...pullRequest, closed: closed || undefined },
  });
  const origin = { operation: 'remove', application: appName, because };
  return appendRequest(draft, origin, { deliveryKey: once, overrules: app });
}
