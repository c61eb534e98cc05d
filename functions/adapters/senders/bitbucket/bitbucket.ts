import * as v from 'valibot';
import { DeployError } from '../../../core/errors.ts';
import type { DeliveredRepository, Delivery, Notice } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { messageFields } from '../fields/commit.ts';
import { branchOf, refName, sha } from '../fields/git.ts';
import { wantsPreviews } from '../fields/pull-request.ts';
import { deliveryId, factsId, readBody } from '../fields/read.ts';
import { readPullRequest } from './pull-request.ts';
import { bitbucketRepository, bitbucketSignature } from './repository.ts';

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
// The old side only says what the ref was: a push is not refused for it.
const oldState = v.object({ ...state.entries, target: v.fallback(v.nullable(v.object({ hash: sha })), null) });
const change = v.pipe(
  v.object({ new: v.nullish(state), old: v.fallback(v.nullish(oldState), null), forced: v.nullish(v.boolean()) }),
  v.check((moved) => Boolean(moved.new ?? moved.old), 'has neither new nor old'),
);
type Change = v.InferOutput<typeof change>;

/** Each change becomes an entry in the log. A push with more changes is a mirrored repository. */
const MAX_CHANGES = 250;
const changes = v.pipe(v.array(v.unknown()), v.maxLength(MAX_CHANGES, `are more than ${MAX_CHANGES}`), v.array(change));
const pushBody = v.object({ push: v.object({ changes }), repository: bitbucketRepository });
const noticeBody = v.object({ repository: v.fallback(v.nullable(bitbucketRepository), null) });

/**
 * Bitbucket Cloud's pushes. One call contains a change for each updated branch and tag
 * (https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push). Every other event becomes a notice.
 */
export const bitbucket = defineSender({
  id: 'bitbucket',
  name: 'Bitbucket',
  sends: 'pushes',
  header: 'X-Event-Key',
  requiredFields: ['push.changes', 'repository.full_name'],
  signature: bitbucketSignature,
  previews: 'Pull request: Created, Updated, Merged, Declined',
  setup: ({ url, repository }) => ({
    where: `Repository settings → Webhooks → Add webhook: https://bitbucket.org/${repository}/admin/webhooks`,
    settings: [
      ['Title', 'deployment-webhooks'],
      ['URL', url],
      ['Status', 'Active'],
      ['Triggers', 'Repository: Push'],
    ],
    secretSetting: 'Secret',
    notes: ['Bitbucket Cloud only; Data Center sends other payloads, which are refused with that reason.'],
  }),
  read,
});

function read(call: HookCall): readonly WithoutProvider<Delivery>[] {
  const { headers, body } = call;
  const event = headers['x-event-key'] ?? 'repo:push';
  // The id is the same for every attempt; X-Attempt-Number counts them.
  const sentId = deliveryId(headers['x-request-uuid']);
  if (/^(?:repo:refs_changed$|diagnostics:|mirror:|pr:|project:)/.test(event)) throw isDataCenter();
  const pull = wantsPreviews(call) ? readPullRequest(body, event) : null;
  if (pull) return [{ ...pull, id: sentId }];
  if (event !== 'repo:push') return [notice(body, event, sentId)];
  const { push, repository } = readBody(pushBody, body, 'a push of Bitbucket');
  const reason = 'The push of Bitbucket names no change of any branch.';
  if (push.changes.length === 0) return [{ kind: 'notice', id: sentId, repository, reason }];
  const id = sentId ?? contentId(push.changes, repository);
  return push.changes.map((moved) => pushOf(moved, repository, id));
}

/** Returns an id derived from the push, for a relay without the header: a repeated call is the same delivery. */
function contentId(moves: readonly Change[], { owner, name }: DeliveredRepository): string {
  const facts = moves.flatMap((move) => [refOf(move), move.old?.target?.hash ?? null, move.new?.target.hash ?? null]);
  return factsId('push', [owner.toLowerCase(), name.toLowerCase(), ...facts]);
}

function refOf(moved: Change): string {
  const { name = '', type } = moved.new ?? moved.old ?? {};
  return `${type === 'branch' || type === 'named_branch' ? 'refs/heads' : 'refs/tags'}/${name}`;
}

function pushOf(moved: Change, repository: DeliveredRepository, id: string | null): WithoutProvider<Delivery> {
  const ref = refOf(moved);
  const head = moved.new?.target;
  return {
    kind: 'push',
    hostKind: 'bitbucket',
    id,
    repository,
    ref,
    branch: branchOf(ref),
    sha: head?.hash ?? null,
    before: moved.old?.target?.hash ?? null,
    forced: moved.forced ?? false,
    ...messageFields(head?.message),
    author: oneLine(head?.author?.user?.display_name ?? nameIn(head?.author?.raw), 100),
  };
}

/** Returns the name in `Ada Example <ada@example.org>`. */
function nameIn(raw: string | null | undefined): string {
  return raw?.split('<', 1)[0] ?? '';
}

function notice(body: unknown, event: string, id: string | null): WithoutProvider<Notice> {
  const shown = oneLine(event, 60) ?? 'without a name';
  const { repository } = readBody(noticeBody, body, `the event ${shown} of Bitbucket`);
  const reason = `The event ${shown} of Bitbucket deploys nothing; the service acts on pushes and build statuses.`;
  return { kind: 'notice', id, repository, reason };
}

function isDataCenter(): DeployError {
  const detail = 'This is a call of Bitbucket Data Center, which is not supported. Bitbucket Cloud is supported.';
  return new DeployError('deploy:provider:not_supported', detail);
}
