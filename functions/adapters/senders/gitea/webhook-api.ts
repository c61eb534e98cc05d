import { githubWebhook } from '../github/webhook-api.ts';
import { type WebhookApi, webhooksIn } from '../webhook-api.ts';

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
