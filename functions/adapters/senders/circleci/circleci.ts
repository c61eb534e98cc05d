import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { sha } from '../fields/git.ts';
import { deliveryId, readBody, text } from '../fields/read.ts';
import { hostKindAt } from '../fields/remote.ts';
import { TIMED_STATE, verdictReader } from '../fields/verdict.ts';
import { hmac, type SignatureScheme } from '../signatures/scheme.ts';
import { pipelineFields, type Source, sourceOf } from './source.ts';

/**
 * CircleCI: a list of signatures by version, of which only `v1` is known and others are ignored
 * (https://circleci.com/docs/outbound-webhooks/#validate-webhooks).
 */
const circleciSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['circleci-signature']),
  isValid: ({ headers, raw }, secret) => {
    const signatures = (headers['circleci-signature'] ?? '').slice(0, 2000).split(',');
    const wanted = `v1=${hmac(secret, 'hex', raw)}`;
    return signatures.some((signature) => sameSecret(signature.trim(), wanted));
  },
};

const workflowBody = v.object({
  id: v.string(),
  workflow: v.object({ name: text, status: v.string(), stopped_at: text }),
  project: v.fallback(v.nullish(v.object({ id: text })), null),
  pipeline: v.pipe(
    pipelineFields,
    v.check((fields) => v.is(sha, sourceOf(fields).sha), 'names no commit of 40 or 64 hex digits'),
    v.check((fields) => sourceOf(fields).repository !== null, 'names no repository'),
    v.transform((fields) => sourceOf(fields)),
  ),
});
type Body = v.InferOutput<typeof workflowBody>;

const endedBody = v.object({
  type: v.literal('workflow-completed'),
  workflow: v.object({ status: v.string() }),
  pipeline: v.fallback(pipelineFields, {}),
});

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
  setup: ({ url }) => ({
    where: 'Project Settings → Webhooks → Add Webhook',
    settings: [
      ['Receiver URL', url],
      ['Events', 'Workflow Completed'],
    ],
    secretSetting: 'Secret token',
  }),
  read: (call) => [read(call)],
  verdict: verdictReader(endedBody, ({ workflow, pipeline }) => verdictOf(workflow.status, sourceOf(pipeline))),
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const { id, type } = readBody(v.object({ id: text, type: text }), body, 'an event of CircleCI');
  const event = oneLine(type ?? headers['circleci-event-type'] ?? '', 60) ?? 'without a name';
  if (event === 'workflow-completed') return buildOf(readBody(workflowBody, body, 'a workflow of CircleCI'));
  const reason = `The event ${event} of CircleCI deploys nothing; the service waits for workflow-completed.`;
  return { kind: 'notice', id: deliveryId(id ?? undefined), repository: null, reason };
}

function buildOf({ id, workflow, project, pipeline: source }: Body): WithoutProvider<Delivery> {
  // Both were checked when the body was read.
  const { sha: commit, repository } = source;
  const { hostname = null, owner = '', name = '', url = null } = repository ?? {};
  return buildResult({
    hostKind: hostKindAt(hostname),
    // CircleCI may send an event twice, with the same id.
    id: deliveryId(id),
    repository: { hostname, owner, name, url, private: false },
    sha: commit ?? '',
    branch: source.branch,
    check: {
      name: workflow.name,
      usual: 'CircleCI',
      // Several projects may build one repository, with workflows of the same name.
      id: project?.id && workflow.name ? `${project.id}/${workflow.name}` : null,
      run: workflow.stopped_at,
    },
    verdict: verdictOf(workflow.status, source),
    message: source.message,
    author: source.author,
  });
}

function verdictOf(status: string, { timed, pullRequest }: Source): BuildVerdict {
  if (timed) return { outcome: 'neutral', state: TIMED_STATE, pullRequest };
  return { outcome: outcomes.get(status) ?? 'neutral', state: oneLine(status, 40) ?? 'no status', pullRequest };
}
