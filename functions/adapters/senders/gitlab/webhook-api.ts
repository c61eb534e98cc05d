import * as v from 'valibot';
import { type WebhookApi, webhookId, webhooksIn } from '../webhook-api.ts';

const gitlabWebhook = v.pipe(
  v.object({ id: webhookId, url: v.string(), push_events: v.boolean() }),
  v.transform(({ id, url, push_events }) => ({ id, url, active: true, events: push_events ? ['push'] : [] })),
);

/** https://docs.gitlab.com/api/project_webhooks/ */
export const gitlabWebhookApi: WebhookApi = {
  api: 'https://gitlab.com/api/v4',
  login: (token) => ({ 'private-token': token }),
  path: (repository) => `projects/${encodeURIComponent(repository)}/hooks`,
  body: ({ url }) => ({ url, push_events: true, enable_ssl_verification: true }),
  read: (response) => webhooksIn(gitlabWebhook, response),
};
