import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { isCiEvent } from '../fields/github-event.ts';
import { readWorkflowRun } from '../fields/workflow-run.ts';

const runner = { provider: 'github-actions', title: 'GitHub Actions', hostKind: 'github' };

/** GitHub Actions: the event `workflow_run` (https://docs.github.com/webhooks/webhook-events-and-payloads#workflow_run). */
export const githubActions: DescribedSender = {
  name: 'GitHub Actions',
  knownBy: 'the header X-GitHub-Event: workflow_run',
  needs: [],
  recognises: ({ headers }) => isCiEvent(headers, 'workflow_run'),
  read: ({ headers, body }) => [{ ...readWorkflowRun(body, runner), id: deliveryId(headers['x-github-delivery']) }],
};
