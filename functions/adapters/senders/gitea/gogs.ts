import type { HookCall } from '../../../core/ports/sender.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { readGitea } from './push.ts';

/** Gogs, which Gitea came from; its calls carry GitHub's headers as well (https://gogs.io/docs/features/webhook). */
export const gogs: DescribedSender = {
  name: 'Gogs',
  knownBy: 'the header X-Gogs-Event',
  needs: [],
  recognises: ({ headers }) => announcement(headers)?.by === 'Gogs',
  read: ({ headers, body }: HookCall) => [
    {
      ...readGitea(body, headers['x-gogs-event'] ?? null, { provider: 'gogs', host: 'Gogs', hostKind: 'gogs' }),
      id: deliveryId(headers['x-gogs-delivery']),
    },
  ],
};
