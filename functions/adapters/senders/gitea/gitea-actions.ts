import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/read.ts';
import { readWorkflowRun, workflowRunVerdict } from '../fields/workflow-run.ts';
import { giteaSetup, giteaSignature } from './webhook.ts';

const runner = { title: 'Gitea Actions', hostKind: 'gitea' };

/**
 * Gitea Actions: the event `workflow_run`, which Gitea sends since 1.24 in GitHub's format
 * (https://docs.gitea.com/usage/webhooks, https://github.com/go-gitea/gitea/blob/main/modules/structs/hook.go). A run
 * of a tag or of a pull request has no branch. Only the subject of the commit message is sent.
 */
export const giteaActions = defineSender({
  id: 'gitea-actions',
  name: 'Gitea Actions',
  sends: 'builds',
  webhook: 'gitea',
  header: 'X-Gitea-Event',
  events: ['workflow_run'],
  signature: giteaSignature,
  setup: giteaSetup(
    'Custom events: Push; Workflow Run (Gitea 1.24 or newer)',
    'Gitea sends only the first line of the commit message: `[skip deploy]` must be there.',
  ),
  read: ({ headers, body }) => [readWorkflowRun(body, { ...runner, id: deliveryId(headers['x-gitea-delivery']) })],
  verdict: workflowRunVerdict,
});
