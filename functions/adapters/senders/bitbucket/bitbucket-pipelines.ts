import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, sha } from '../fields/git.ts';
import { deliveryId, readBody, text } from '../fields/read.ts';
import { isOwnStatus, ownStatusReason, verdictReader } from '../fields/verdict.ts';
import { bitbucketRepository, bitbucketSignature } from './repository.ts';

const statusFields = v.object({
  key: text,
  name: text,
  state: v.string(),
  refname: text,
  updated_on: text,
  commit: v.nullish(v.object({ hash: text, message: text })),
  links: v.nullish(v.object({ commit: v.nullish(v.object({ href: text })) })),
});
type Status = v.InferOutput<typeof statusFields>;

const statusBody = v.object({
  commit_status: v.pipe(
    statusFields,
    v.check((status) => shaOf(status) !== null, 'names no commit'),
  ),
  repository: bitbucketRepository,
});
type Body = v.InferOutput<typeof statusBody>;

const outcomes = new Map<string, CheckOutcome>([
  ['SUCCESSFUL', 'passed'],
  ['FAILED', 'failed'],
  ['STOPPED', 'failed'],
  ['INPROGRESS', 'pending'],
]);

/**
 * Bitbucket's build statuses, which Bitbucket Pipelines and other CI providers set
 * (https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Build-status-created).
 */
export const bitbucketPipelines = defineSender({
  id: 'bitbucket-pipelines',
  name: 'Bitbucket Pipelines',
  sends: 'builds',
  webhook: 'bitbucket',
  header: 'X-Event-Key',
  events: ['repo:commit_status_*'],
  requiredFields: ['commit_status.state', 'repository.full_name'],
  signature: bitbucketSignature,
  setup: ({ url, repository }) => ({
    where:
      `Repository settings → Webhooks: https://bitbucket.org/${repository}/admin/webhooks ` +
      '(the webhook for pushes, or a new one)',
    settings: [
      ['URL', url],
      ['Triggers', 'Choose from a full list: Repository: Push, Build status created, Build status updated'],
    ],
  }),
  read: ({ headers, body }: HookCall) => [
    read(readBody(statusBody, body, 'a build status of Bitbucket'), deliveryId(headers['x-request-uuid'])),
  ],
  verdict: verdictReader(v.object({ commit_status: v.object({ state: v.string() }) }), ({ commit_status }) =>
    verdictOf(commit_status.state),
  ),
});

function read({ commit_status: status, repository }: Body, id: string | null): WithoutProvider<Delivery> {
  if ([status.key, status.name].some((name) => isOwnStatus(name ?? ''))) {
    return { kind: 'notice', id, repository, reason: ownStatusReason };
  }
  return buildResult({
    hostKind: 'bitbucket',
    id,
    repository,
    // It was checked when the body was read.
    sha: shaOf(status) ?? '',
    branch: branchNamed(status.refname),
    check: { name: status.key ?? status.name, usual: 'Bitbucket', run: status.updated_on },
    verdict: verdictOf(status.state),
    message: status.commit?.message,
  });
}

/** The status of a pull request has the name of its source branch, or no branch when it comes from a fork. */
function verdictOf(state: string): BuildVerdict {
  return { outcome: outcomes.get(state) ?? 'neutral', state: oneLine(state, 40) ?? 'no state', pullRequest: false };
}

/** Returns the commit id, which older payloads contain only as the last segment of a URL. */
function shaOf({ commit, links }: Pick<Status, 'commit' | 'links'>): string | null {
  const last = links?.commit?.href?.split('/').at(-1);
  const named = [commit?.hash, last].find((candidate) => v.is(sha, candidate));
  return named?.toLowerCase() ?? null;
}
