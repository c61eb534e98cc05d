import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/read.ts';
import { readGitea } from './push.ts';
import { giteaSetup, giteaSignature } from './webhook.ts';

/** Gitea, whose calls also have the headers of Gogs and GitHub (https://docs.gitea.com/usage/webhooks). */
export const gitea = defineSender({
  id: 'gitea',
  name: 'Gitea',
  sends: 'pushes',
  header: 'X-Gitea-Event',
  requiredFields: ['ref', 'after', 'compare_url', 'repository.clone_url'],
  foreignFields: ['object_kind'],
  signature: giteaSignature,
  previews: 'Pull Request, Pull Request Synchronized',
  setup: giteaSetup('Push events'),
  read: (call) => [
    {
      ...readGitea('Gitea', call, call.headers['x-gitea-event']),
      id: deliveryId(call.headers['x-gitea-delivery']),
    },
  ],
});
