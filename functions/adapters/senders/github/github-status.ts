import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult, CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { refName, sha } from '../fields/git.ts';
import { githubRepository } from '../fields/github-push.ts';
import { deliveryId, optionalNumber, readBody, text } from '../fields/read.ts';
import { isOwnStatus, ownStatusReason, verdictReader } from '../fields/verdict.ts';
import { githubCiSetup, githubHolds, githubSignature } from './webhook.ts';

/** GitHub sends at most ten. */
const MAX_BRANCHES = 10;
const statusBody = v.object({
  id: optionalNumber,
  sha,
  state: v.string(),
  context: v.string(),
  branches: v.nullish(v.array(v.unknown())),
  commit: v.nullish(
    v.object({ commit: v.nullish(v.object({ message: text, author: v.nullish(v.object({ name: text })) })) }),
  ),
  repository: githubRepository,
});
type Status = v.InferOutput<typeof statusBody>;

const branch = v.object({ name: refName });
const outcomes = new Map<string, CheckOutcome>([
  ['success', 'passed'],
  ['pending', 'pending'],
]);

/**
 * GitHub's commit statuses: the event `status` (https://docs.github.com/webhooks/webhook-events-and-payloads#status). A
 * status belongs to a commit, not a branch: it becomes a build result for each branch that contains the commit.
 * Branches of a fork are not included.
 */
export const githubStatus = defineSender({
  id: 'github-status',
  name: 'GitHub statuses',
  sends: 'builds',
  webhook: 'github',
  header: 'X-GitHub-Event',
  events: ['status'],
  signature: githubSignature,
  holds: githubHolds,
  setup: (values) => githubCiSetup(values, 'Statuses'),
  read: ({ headers, body }: HookCall) =>
    read(readBody(statusBody, body, 'a commit status of GitHub'), deliveryId(headers['x-github-delivery'])),
  verdict: verdictReader(v.object({ state: v.string() }), ({ state }) => verdictOf(state)),
});

function read(status: Status, id: string | null): readonly WithoutProvider<Delivery>[] {
  const { repository } = status;
  if (isOwnStatus(status.context)) {
    return [{ kind: 'notice', id, repository, reason: ownStatusReason }];
  }
  const named = (status.branches ?? []).flatMap((each) => (v.is(branch, each) ? [each.name] : []));
  const branches = Array.from(new Set(named)).slice(0, MAX_BRANCHES);
  return (branches.length > 0 ? branches : [null]).map((name) => buildOf(status, name, id));
}

function buildOf(status: Status, branchName: string | null, id: string | null): WithoutProvider<BuildResult> {
  const commit = status.commit?.commit;
  return buildResult({
    hostKind: 'github',
    id,
    repository: status.repository,
    sha: status.sha,
    branch: branchName,
    check: { name: status.context, usual: 'default', run: status.id },
    verdict: verdictOf(status.state),
    message: commit?.message,
    author: commit?.author?.name,
  });
}

function verdictOf(state: string): BuildVerdict {
  return { outcome: outcomes.get(state) ?? 'failed', state: oneLine(state, 40) ?? 'no state', pullRequest: false };
}
