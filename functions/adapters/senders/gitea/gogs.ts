import type { HookCall } from '../../../core/ports/sender.ts';
import { defineSender } from '../define-sender.ts';
import { deliveryId } from '../fields/read.ts';
import { readGitea } from './push.ts';
import { gogsSignature } from './signature.ts';

/** Gogs, of which Gitea is a fork. Its calls also have GitHub's headers (https://gogs.io/docs/features/webhook). */
export const gogs = defineSender({
  id: 'gogs',
  name: 'Gogs',
  sends: 'pushes',
  header: 'X-Gogs-Event',
  signature: gogsSignature,
  tested: { with: 'fixtures', how: ['read', 'signed'] },
  read: ({ headers, body }: HookCall) => [
    {
      ...readGitea(body, headers['x-gogs-event'] ?? null, { host: 'Gogs', hostKind: 'gogs' }),
      id: deliveryId(headers['x-gogs-delivery']),
    },
  ],
});
