import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/read.ts';
import { readWorkflowRun, workflowRunVerdict } from '../fields/workflow-run.ts';
import { githubCiSetup, githubHolds, githubSignature } from './webhook.ts';

const runner = { title: 'GitHub Actions', hostKind: 'github' };

/**
 * GitHub Actions: the event `workflow_run` (https://docs.github.com/webhooks/webhook-events-and-payloads#workflow_run).
 */
export const githubActions = defineSender({
  id: 'github-actions',
  name: 'GitHub Actions',
  sends: 'builds',
  webhook: 'github',
  header: 'X-GitHub-Event',
  events: ['workflow_run'],
  signature: githubSignature,
  holds: githubHolds,
  setup: (values) => githubCiSetup(values, 'Workflow runs'),
  read: ({ headers, body }) => [readWorkflowRun(body, { ...runner, id: deliveryId(headers['x-github-delivery']) })],
  verdict: workflowRunVerdict,
});
