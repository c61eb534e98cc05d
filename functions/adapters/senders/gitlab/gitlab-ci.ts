import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult, CheckOutcome } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, refName, sha } from '../fields/git.ts';
import { deliveryId, factsId, readBody, text } from '../fields/read.ts';
import { isTimed, TIMED_STATE, verdictReader } from '../fields/verdict.ts';
import { gitlabFields, gitlabProject } from './project.ts';
import { gitlabSignature } from './signature.ts';

const endFields = v.object({ source: text, status: v.string(), ref: v.fallback(v.string(), '') });
const endBody = v.object({ object_attributes: endFields, merge_request: v.optional(v.unknown()) });
const target = v.object({ target_branch: refName });
const pipelineBody = v.object({
  object_attributes: v.object({
    ...endFields.entries,
    id: v.nullish(v.number()),
    name: text,
    ref: v.string(),
    tag: v.nullish(v.boolean()),
    sha,
    finished_at: text,
  }),
  merge_request: v.optional(v.unknown()),
  project: gitlabProject,
  commit: v.nullish(v.object({ message: text, author: v.nullish(v.object({ name: text })) })),
});
type Body = v.InferOutput<typeof pipelineBody>;
type PipelineEnd = v.InferOutput<typeof endBody>;

const outcomes = new Map<string, CheckOutcome>([
  ['success', 'passed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['canceling', 'pending'],
  ['created', 'pending'],
  ['waiting_for_resource', 'pending'],
  ['waiting_for_callback', 'pending'],
  ['preparing', 'pending'],
  ['pending', 'pending'],
  ['running', 'pending'],
  ['manual', 'pending'],
  ['scheduled', 'pending'],
  ['skipped', 'neutral'],
]);
/** Sources of pipelines that test the commit of a branch. Child pipelines do not. */
const branchSources = ['push', 'web', 'webide', 'api', 'trigger', 'pipeline', 'chat'];
const mergeRequestSources = ['merge_request_event', 'external_pull_request_event'];

/**
 * GitLab's pipelines (https://docs.gitlab.com/user/project/integrations/webhook_events/#pipeline-events). Those of a
 * merge request are flagged; timed pipelines, child pipelines and pipelines of external statuses (including the
 * service's own) are neutral.
 */
export const gitlabCi = defineSender({
  id: 'gitlab-ci',
  name: 'GitLab CI',
  sends: 'builds',
  webhook: 'gitlab',
  header: 'X-Gitlab-Event',
  requiredFields: gitlabFields,
  fieldValues: { object_kind: 'pipeline' },
  signature: gitlabSignature,
  setup: ({ url, repository }) => ({
    where: `Settings → Webhooks: https://gitlab.com/${repository}/-/hooks (the webhook for pushes, or a new one)`,
    settings: [
      ['URL', url],
      ['Trigger', 'Push events, Pipeline events'],
      ['SSL verification', 'Enable'],
    ],
  }),
  read: ({ headers, body }: HookCall) => {
    const event = readBody(pipelineBody, body, 'a pipeline of GitLab');
    const id = deliveryId(headers['idempotency-key'], headers['x-gitlab-event-uuid']) ?? eventId(event);
    return [buildOf(event, id)];
  },
  verdict: verdictReader(endBody, verdictOf),
});

function buildOf(event: Body, id: string): WithoutProvider<BuildResult> {
  const { object_attributes: pipeline, project, commit } = event;
  return buildResult({
    hostKind: 'gitlab',
    id,
    repository: project,
    sha: pipeline.sha,
    branch: pipeline.tag === true ? null : branchNamed(pipeline.ref),
    check: { name: pipeline.name, usual: 'GitLab CI', run: pipeline.finished_at },
    verdict: verdictOf(event),
    queueOf: trainOf(event),
    message: commit?.message,
    author: commit?.author?.name,
  });
}

function verdictOf(event: PipelineEnd): BuildVerdict {
  const { status, source } = event.object_attributes;
  const state = isTimed(source) ? TIMED_STATE : (oneLine(status, 40) ?? 'no status');
  return { outcome: outcomeOf(event.object_attributes), state, pullRequest: isMergeRequest(event) };
}

function outcomeOf({ status, source }: PipelineEnd['object_attributes']): CheckOutcome {
  if (source && ![...branchSources, ...mergeRequestSources].includes(source)) return 'neutral';
  return outcomes.get(status) ?? 'neutral';
}

/**
 * Returns the branch that a merge train tested its commit for; null for any other pipeline
 * (https://docs.gitlab.com/ci/pipelines/merge_trains/).
 */
function trainOf({ merge_request, object_attributes: { ref } }: PipelineEnd): string | null {
  const isTrain = /^refs\/merge-requests\/\d+\/train$/.test(ref);
  return isTrain && v.is(target, merge_request) ? merge_request.target_branch : null;
}

function isMergeRequest(end: PipelineEnd): boolean {
  if (trainOf(end) !== null) return false;
  const { merge_request, object_attributes } = end;
  const { source, ref } = object_attributes;
  const isPresent = merge_request !== undefined && merge_request !== null;
  return isPresent || mergeRequestSources.includes(source ?? '') || ref.startsWith('refs/merge-requests/');
}

/** Returns an id for GitLab versions that send none. A pipeline with a retried job finishes again, at another time. */
function eventId({ object_attributes: { id, sha: commit, status, finished_at } }: Body): string {
  return factsId('pipeline', [id ?? commit, status, finished_at ?? null]);
}
