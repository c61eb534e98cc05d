import * as v from 'valibot';
import type { Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { headCommit, messageFields } from '../fields/commit.ts';
import { branchOf, ref, sha, shaOrNone } from '../fields/git.ts';
import { wantsPreviews } from '../fields/pull-request.ts';
import { deliveryId, readBody } from '../fields/read.ts';
import { readMergeRequest } from './merge-request.ts';
import { gitlabFields, gitlabProject } from './project.ts';
import { gitlabSignature } from './signature.ts';

// GitLab sends at most 20 commits of a push; `checkout_sha` is what is deployed.
const pushBody = v.object({
  ref,
  after: sha,
  before: v.nullish(v.fallback(v.nullable(sha), null)),
  checkout_sha: v.nullish(sha),
  commits: v.nullish(v.array(v.unknown())),
  user_name: v.nullish(v.string()),
  project: gitlabProject,
});
type Push = v.InferOutput<typeof pushBody>;

const noticeBody = v.object({
  object_kind: v.nullish(v.string()),
  event_name: v.nullish(v.string()),
  project: v.fallback(v.nullable(gitlabProject), null),
});

/**
 * GitLab's pushes of branches and tags (https://docs.gitlab.com/user/project/integrations/webhook_events/). Every other
 * event becomes a notice, because GitLab disables a webhook that gets errors. System hooks send the same payloads.
 */
export const gitlab = defineSender({
  id: 'gitlab',
  name: 'GitLab',
  sends: 'pushes',
  header: 'X-Gitlab-Event',
  requiredFields: gitlabFields,
  signature: gitlabSignature,
  previews: 'Merge request events',
  setup: ({ url, repository }) => ({
    where: `Settings → Webhooks → Add new webhook: https://gitlab.com/${repository}/-/hooks`,
    settings: [
      ['URL', url],
      ['Trigger', 'Push events'],
      ['SSL verification', 'Enable'],
    ],
    secretSetting: 'Secret token, or signing token',
    notes: [
      'GitLab can mask the secret in the address: “Mask portions of URL”.',
      'GitLab sends nothing for a push of more than three branches at once.',
    ],
  }),
  read: (call) => [read(call)],
});

function read(call: HookCall): WithoutProvider<Delivery> {
  const { headers, body } = call;
  // The idempotency key is the same in a retry; older versions have only the id of the event.
  const id = deliveryId(headers['idempotency-key'], headers['x-gitlab-event-uuid']);
  const { object_kind, event_name, project } = readBody(noticeBody, body, 'an event of GitLab');
  const kind = object_kind ?? event_name;
  if (kind === 'push' || kind === 'tag_push') return pushOf(readBody(pushBody, body, 'a push of GitLab'), id);
  const pull = kind === 'merge_request' && wantsPreviews(call) ? readMergeRequest(body) : null;
  if (pull) return { ...pull, id };
  const event = oneLine(kind ?? headers['x-gitlab-event'] ?? '', 60) ?? 'without a name';
  const reason = `The event ${event} of GitLab deploys nothing; the service acts on pushes and pipelines.`;
  return { kind: 'notice', id, repository: project, reason };
}

function pushOf(push: Push, id: string | null): WithoutProvider<Delivery> {
  const head = headCommit(push.commits ?? [], push.checkout_sha ?? push.after);
  return {
    kind: 'push',
    hostKind: 'gitlab',
    id,
    repository: push.project,
    ref: push.ref,
    branch: branchOf(push.ref),
    sha: shaPushed(push),
    before: shaOrNone(push.before ?? '0'),
    // GitLab does not send this.
    forced: false,
    ...messageFields(head?.message),
    author: oneLine(head?.author?.name ?? push.user_name ?? '', 100),
  };
}

/** Returns the commit to deploy; null when the ref was deleted. For an annotated tag, `after` is the tag object. */
function shaPushed({ after, checkout_sha }: Push): string | null {
  return shaOrNone(after) === null ? null : shaOrNone(checkout_sha ?? after);
}
