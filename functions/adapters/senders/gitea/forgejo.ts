import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/read.ts';
import { readGitea } from './push.ts';
import { forgejoSignature, giteaSetup } from './webhook.ts';

/**
 * Forgejo, whose calls also have the headers of Gitea, Gogs and GitHub (https://forgejo.org/docs/latest/user/webhooks).
 * Its API is the same as Gitea's, so `hostKind` is `gitea`.
 */
export const forgejo = defineSender({
  id: 'forgejo',
  name: 'Forgejo',
  sends: 'pushes',
  header: 'X-Forgejo-Event',
  signature: forgejoSignature,
  previews: 'Pull Request, Pull Request Synchronized',
  setup: giteaSetup('Push events'),
  read: (call) => [
    {
      ...readGitea('Forgejo', call, call.headers['x-forgejo-event']),
      id: deliveryId(call.headers['x-forgejo-delivery'], call.headers['x-gitea-delivery']),
    },
  ],
});
