import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { isGiteaCiEvent } from '../fields/gitea-event.ts';
import { readWorkflowRun } from '../fields/workflow-run.ts';

const runner = { provider: 'gitea-actions', title: 'Gitea Actions', hostKind: 'gitea' };

/**
 * Gitea Actions: the event `workflow_run`, which Gitea sends since 1.24, laid out as GitHub's
 * (https://docs.gitea.com/usage/webhooks, https://github.com/go-gitea/gitea/blob/main/modules/structs/hook.go). A run of a
 * tag or of a pull request has no branch there. Of the commit's message only the subject is sent.
 */
export const giteaActions: DescribedSender = {
  name: 'Gitea Actions',
  knownBy: 'the header X-Gitea-Event: workflow_run',
  needs: [],
  recognises: ({ headers }) => isGiteaCiEvent(headers),
  read: ({ headers, body }) => [{ ...readWorkflowRun(body, runner), id: deliveryId(headers['x-gitea-delivery']) }],
};
