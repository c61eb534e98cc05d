import { githubWebhook } from '../github/webhook.ts';
import type { Setup } from '../setup.ts';
import { hmacHeader } from '../signatures/scheme.ts';
import { type WebhookApi, webhooksIn } from '../webhook-api.ts';

/** Gitea: the HMAC without a prefix (https://docs.gitea.com/usage/webhooks). */
export const giteaSignature = hmacHeader('', 'x-gitea-signature');

/** Forgejo, whose older versions send only Gitea's header. */
export const forgejoSignature = hmacHeader('', 'x-forgejo-signature', 'x-gitea-signature');

export function giteaSetup(events: string, ...notes: readonly string[]): Setup {
  return ({ plainUrl, authorization, repository, web }) => ({
    where: `Settings → Webhooks → Add Webhook: ${web('<your host>')}/${repository}/settings/hooks`,
    settings: [
      ['Target URL', plainUrl],
      ['HTTP method', 'POST'],
      ['POST content type', 'application/json'],
      ['Trigger on', events],
      ['Authorization header', authorization],
      ['Active', 'yes'],
    ],
    secretSetting: 'Secret',
    notes,
  });
}

/** Returns the webhook API of Gitea or Forgejo: https://docs.gitea.com/api/, https://codeberg.org/api/swagger. */
export function giteaWebhookApi(type: 'gitea' | 'forgejo', api: string): WebhookApi {
  return {
    api,
    login: (token) => ({ authorization: `token ${token}` }),
    path: (repository) => `repos/${repository}/hooks`,
    body: ({ plainUrl, authorization, previews }) => ({
      type,
      active: true,
      events: ['push', ...(previews ? ['pull_request', 'pull_request_sync'] : [])],
      config: { url: plainUrl, content_type: 'json', http_method: 'post' },
      authorization_header: authorization,
    }),
    read: (response) => webhooksIn(githubWebhook, response),
  };
}
