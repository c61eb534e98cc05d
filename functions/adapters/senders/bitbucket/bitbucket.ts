import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';
import type { DeliveredRepository, Delivery, Notice } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { hasField } from '../fields/body.ts';
import { messageFields } from '../fields/commit-message.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { branchOf, refName, sha } from '../fields/git.ts';
import { readBody } from '../fields/read.ts';
import { bitbucketRepository } from './repository.ts';

const author = v.nullish(
  v.object({
    raw: v.nullish(v.string()),
    user: v.nullish(v.object({ display_name: v.nullish(v.string()) })),
  }),
);
const state = v.object({
  type: v.string(),
  name: refName,
  target: v.object({ hash: sha, message: v.nullish(v.string()), author }),
});
const change = v.pipe(
  v.object({ new: v.nullish(state), old: v.nullish(state), forced: v.nullish(v.boolean()) }),
  v.check((moved) => Boolean(moved.new ?? moved.old), 'has neither new nor old'),
);
type Change = v.InferOutput<typeof change>;

/** Each change is an entry of the log; more than that is a mirror, not work. */
const mostChanges = 250;
const changes = v.pipe(v.array(v.unknown()), v.maxLength(mostChanges, `are more than ${mostChanges}`), v.array(change));
const pushBody = v.object({ push: v.object({ changes }), repository: bitbucketRepository });
const noticeBody = v.object({ repository: v.fallback(v.nullable(bitbucketRepository), null) });

const needs = ['push.changes', 'repository.full_name'];

/**
 * Bitbucket Cloud's pushes, of which one call may hold several, one for each branch and tag that moved
 * (https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push). Every other event becomes a notice.
 */
export const bitbucket: DescribedSender = {
  name: 'Bitbucket',
  knownBy: 'the header X-Event-Key, or a body with push.changes and repository.full_name',
  needs,
  recognises: ({ headers, body }) => {
    const announced = announcement(headers);
    if (announced === null) return needs.every((path) => hasField(body, path));
    return announced.by === 'Bitbucket' && !announced.event.startsWith('repo:commit_status_');
  },
  read,
};

function read({ headers, body }: HookCall): readonly Delivery[] {
  const event = headers['x-event-key'] ?? 'repo:push';
  // The same in every attempt; X-Attempt-Number counts them.
  const id = deliveryId(headers['x-request-uuid']);
  if (event === 'repo:refs_changed') throw isDataCenter();
  if (event !== 'repo:push') return [notice(body, event, id)];
  const { push, repository } = readBody(pushBody, body, 'a push of Bitbucket');
  const reason = 'The push of Bitbucket names no change of any branch.';
  if (push.changes.length === 0) return [{ kind: 'notice', provider: 'bitbucket', id, repository, reason }];
  return push.changes.map((moved) => pushOf(moved, repository, id));
}

function pushOf(moved: Change, repository: DeliveredRepository, id: string | null): Delivery {
  const { name = '', type } = moved.new ?? moved.old ?? {};
  const ref = `${type === 'branch' || type === 'named_branch' ? 'refs/heads' : 'refs/tags'}/${name}`;
  const head = moved.new?.target;
  return {
    kind: 'push',
    provider: 'bitbucket',
    hostKind: 'bitbucket',
    id,
    repository,
    ref,
    branch: branchOf(ref),
    sha: head?.hash ?? null,
    before: moved.old?.target.hash ?? null,
    forced: moved.forced ?? false,
    ...messageFields(head?.message),
    author: oneLine(head?.author?.user?.display_name ?? nameIn(head?.author?.raw), 100),
  };
}

/** `Ada Example <ada@example.org>` without the address. */
function nameIn(raw: string | null | undefined): string {
  return raw?.split('<', 1)[0] ?? '';
}

function notice(body: unknown, event: string, id: string | null): Notice {
  const shown = oneLine(event, 60) ?? 'without a name';
  const { repository } = readBody(noticeBody, body, `the event ${shown} of Bitbucket`);
  const reason = `The event ${shown} of Bitbucket deploys nothing; the service acts on pushes and build statuses.`;
  return { kind: 'notice', provider: 'bitbucket', id, repository, reason };
}

function isDataCenter(): DeployError {
  const detail = 'This is a push of Bitbucket Data Center, which is not supported; Bitbucket Cloud is.';
  return new DeployError('deploy:provider:not_supported', detail);
}
