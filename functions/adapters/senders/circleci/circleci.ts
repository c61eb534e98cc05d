import * as v from 'valibot';
import { type CheckOutcome, type Delivery, outcomeFields } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { webAddress } from '../fields/address.ts';
import { messageFields } from '../fields/commit-message.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import { branchNamed, sha } from '../fields/git.ts';
import { readBody } from '../fields/read.ts';
import { hostKindAt, type LocatedRepository, repositoryAt, repositoryNamed } from '../fields/remote.ts';
import { circleciSignature } from './signature.ts';

const text = v.nullish(v.string());
// Projects of GitHub and Bitbucket have `vcs`; those of GitLab and of the GitHub App have `trigger_parameters.git`.
const vcs = v.object({
  target_repository_url: text,
  origin_repository_url: text,
  revision: text,
  branch: text,
  tag: text,
  commit: v.nullish(v.object({ subject: text, body: text, author: v.nullish(v.object({ name: text })) })),
});
const git = v.object({
  checkout_sha: text,
  branch: text,
  ref: text,
  tag: text,
  repo_url: text,
  repo_owner: text,
  repo_name: text,
  commit_message: text,
  commit_title: text,
  commit_author_name: text,
});
const pipeline = v.object({
  vcs: v.nullish(vcs),
  trigger_parameters: v.nullish(v.object({ git: v.nullish(git) })),
});
const workflowBody = v.object({
  id: v.string(),
  workflow: v.object({ name: text, status: v.string(), url: text }),
  pipeline: v.pipe(
    pipeline,
    v.check((fields) => v.is(sha, sourceOf(fields).sha), 'names no commit of 40 or 64 hex digits'),
    v.check((fields) => sourceOf(fields).repository !== null, 'names no repository'),
    v.transform((fields) => sourceOf(fields)),
  ),
});
type Body = v.InferOutput<typeof workflowBody>;

/** What a pipeline built, from either of the two payload formats. */
interface Source {
  readonly sha: string | null;
  readonly branch: string | null;
  readonly repository: LocatedRepository | null;
  readonly fromFork: boolean;
  readonly message: string | null;
  readonly author: string | null;
}

const outcomes = new Map<string, CheckOutcome>([
  ['success', 'passed'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['canceled', 'failed'],
  ['unauthorized', 'failed'],
]);

/**
 * CircleCI's outbound webhooks (https://circleci.com/docs/webhooks-reference/): completed workflows. A completed job is
 * only part of a workflow and becomes a notice.
 */
export const circleci = defineSender({
  id: 'circleci',
  name: 'CircleCI',
  sends: 'builds',
  header: 'Circleci-Event-Type',
  requiredFields: ['type', 'workflow.status', 'pipeline', 'webhook'],
  signature: circleciSignature,
  tested: { with: 'fixtures', how: ['read', 'signed'] },
  setup: ({ url }) => ({
    where: 'Project Settings → Webhooks → Add Webhook',
    settings: [
      ['Receiver URL', url],
      ['Events', 'Workflow Completed'],
    ],
    secretSetting: 'Secret token',
  }),
  read: (call) => [read(call)],
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const { id, type } = readBody(v.object({ id: text, type: text }), body, 'an event of CircleCI');
  const event = oneLine(type ?? headers['circleci-event-type'] ?? '', 60) ?? 'without a name';
  if (event === 'workflow-completed') return buildOf(readBody(workflowBody, body, 'a workflow of CircleCI'));
  const reason = `The event ${event} of CircleCI deploys nothing; the service waits for workflow-completed.`;
  return { kind: 'notice', id: deliveryId(id ?? undefined), repository: null, reason };
}

function buildOf({ id, workflow, pipeline: source }: Body): WithoutProvider<Delivery> {
  // Both were checked when the body was read.
  const { sha: commit, repository } = source;
  const { hostname = null, owner = '', name = '', url = null } = repository ?? {};
  return {
    kind: 'build',
    hostKind: hostKindAt(hostname),
    // CircleCI may send an event twice, with the same id.
    id: deliveryId(id),
    repository: { hostname, owner, name, url, private: false },
    sha: commit,
    shaPrefix: null,
    branch: source.branch,
    check: oneLine(workflow.name ?? '', 100) ?? 'CircleCI',
    ...outcomeFields(outcomes.get(workflow.status) ?? 'neutral'),
    state: oneLine(workflow.status, 40) ?? 'no status',
    pullRequest: source.fromFork,
    ...messageFields(source.message),
    author: oneLine(source.author ?? '', 100),
    url: webAddress(workflow.url)?.href ?? null,
  };
}

function sourceOf({ vcs: fields, trigger_parameters }: v.InferOutput<typeof pipeline>): Source {
  return fields?.revision ? fromVcs(fields) : fromGit(trigger_parameters?.git ?? {});
}

function fromVcs(fields: v.InferOutput<typeof vcs>): Source {
  const { revision, tag, commit, origin_repository_url: origin, target_repository_url: target } = fields;
  return {
    sha: lowerCase(revision),
    // The branch of a pull request from a fork is called `pull/7`.
    branch: tag ? null : branchNamed(fields.branch),
    repository: repositoryAt(target),
    fromFork: Boolean(origin && target && origin !== target) || /^pull\/\d+$/.test(fields.branch ?? ''),
    message: [commit?.subject, commit?.body].filter(Boolean).join('\n\n'),
    author: commit?.author?.name ?? null,
  };
}

function fromGit(fields: v.InferOutput<typeof git>): Source {
  const named = fields.repo_owner && fields.repo_name ? `${fields.repo_owner}/${fields.repo_name}` : null;
  const isTag = Boolean(fields.tag) || fields.ref?.startsWith('refs/tags/') === true;
  return {
    sha: lowerCase(fields.checkout_sha),
    branch: isTag ? null : branchNamed(fields.branch),
    repository: repositoryAt(fields.repo_url) ?? repositoryNamed(named),
    fromFork: /^refs\/(?:pull|merge-requests)\//.test(fields.ref ?? ''),
    message: fields.commit_message ?? fields.commit_title ?? null,
    author: fields.commit_author_name ?? null,
  };
}

function lowerCase(value: string | null | undefined): string | null {
  return value?.toLowerCase() ?? null;
}
