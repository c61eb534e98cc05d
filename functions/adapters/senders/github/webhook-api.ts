import * as v from 'valibot';
import { type WebhookApi, webhookId, webhooksIn } from '../webhook-api.ts';

/** A webhook as GitHub and Gitea return it. */
export const githubWebhook = v.pipe(
  v.object({
    id: webhookId,
    active: v.boolean(),
    events: v.array(v.string()),
    config: v.object({ url: v.optional(v.string(), '') }),
  }),
  v.transform(({ id, active, events, config }) => ({ id, active, events, url: config.url })),
);

/** https://docs.github.com/rest/repos/webhooks */
export const githubWebhookApi: WebhookApi = {
  api: 'https://api.github.com',
  login: (token) => ({ authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }),
  path: (repository) => `repos/${repository}/hooks`,
  body: ({ url, previews }) => ({
    name: 'web',
    active: true,
    events: ['push', ...(previews ? ['pull_request'] : [])],
    config: { url, content_type: 'json', insecure_ssl: '0' },
  }),
  read: (response) => webhooksIn(githubWebhook, response),
};
