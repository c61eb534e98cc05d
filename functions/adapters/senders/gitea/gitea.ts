import type { HookCall } from '../../../core/ports/sender.ts';
import { hasField } from '../fields/body.ts';
import { deliveryId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { isGiteaCiEvent } from '../fields/gitea-event.ts';
import { readGitea } from './push.ts';

const needs = ['ref', 'after', 'compare_url', 'repository.clone_url'];

/** Gitea, whose calls carry the headers of Gogs and GitHub as well (https://docs.gitea.com/usage/webhooks). */
export const gitea: DescribedSender = {
  name: 'Gitea',
  knownBy: 'the header X-Gitea-Event, or a body with ref, after, compare_url and repository.clone_url',
  needs,
  recognises: ({ headers, body }) => {
    const announced = announcement(headers);
    if (announced !== null) return announced.by === 'Gitea' && !isGiteaCiEvent(headers);
    return needs.every((path) => hasField(body, path)) && !hasField(body, 'object_kind');
  },
  read: ({ headers, body }: HookCall) => [
    {
      ...readGitea(body, headers['x-gitea-event'] ?? null, { provider: 'gitea', host: 'Gitea', hostKind: 'gitea' }),
      id: deliveryId(headers['x-gitea-delivery']),
    },
  ],
};
