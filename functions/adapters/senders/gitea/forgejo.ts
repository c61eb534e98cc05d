import type { HookCall } from '../../../core/ports/sender.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { isForgejoCiEvent } from '../fields/gitea-event.ts';
import { readGitea } from './push.ts';

/**
 * Forgejo, whose calls carry the headers of Gitea, Gogs and GitHub as well (https://forgejo.org/docs/latest/user/webhooks).
 * Its API is Gitea's, so that its repositories live on a host of that kind.
 */
export const forgejo: DescribedSender = {
  name: 'Forgejo',
  knownBy: 'the header X-Forgejo-Event',
  needs: [],
  recognises: ({ headers }) => announcement(headers)?.by === 'Forgejo' && !isForgejoCiEvent(headers),
  read: ({ headers, body }: HookCall) => [
    {
      ...readGitea(body, headers['x-forgejo-event'] ?? null, {
        provider: 'forgejo',
        host: 'Forgejo',
        hostKind: 'gitea',
      }),
      id: deliveryId(headers['x-forgejo-delivery'], headers['x-gitea-delivery']),
    },
  ],
};
