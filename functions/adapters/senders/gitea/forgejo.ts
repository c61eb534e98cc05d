import type { HookCall } from '../../../core/ports/sender.ts';
import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import { readGitea } from './push.ts';
import { giteaSetup } from './setup.ts';
import { forgejoSignature } from './signature.ts';
import { giteaWebhookApi } from './webhook-api.ts';

/**
 * Forgejo, whose calls carry the headers of Gitea, Gogs and GitHub as well (https://forgejo.org/docs/latest/user/webhooks).
 * Its API is Gitea's, so that its repositories live on a host of that kind.
 */
export const forgejo = defineSender({
  id: 'forgejo',
  name: 'Forgejo',
  sends: 'pushes',
  header: 'X-Forgejo-Event',
  signature: forgejoSignature,
  webhookApi: giteaWebhookApi('forgejo', 'https://codeberg.org/api/v1'),
  tested: { with: 'fixtures', how: ['read', 'signed'] },
  setup: giteaSetup('Push events'),
  read: ({ headers, body }: HookCall) => [
    {
      ...readGitea(body, headers['x-forgejo-event'] ?? null, {
        host: 'Forgejo',
        hostKind: 'gitea',
      }),
      id: deliveryId(headers['x-forgejo-delivery'], headers['x-gitea-delivery']),
    },
  ],
});
