import * as v from 'valibot';
import type { SetupGuide, SetupValues } from '../setup.ts';
import { hmacHeader } from '../signatures/scheme.ts';
import { type WebhookApi, webhookId, webhooksIn } from '../webhook-api.ts';

/**
 * GitHub: over the raw body, JSON or form
 * (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
 */
export const githubSignature = hmacHeader('sha256=', 'x-hub-signature-256');

/** When a push waits for the results that GitHub's own webhook sends. */
export const githubHolds =
  "once the ping of the repository's webhook lists this event, or a result was received before";

/** Returns the instructions to send CI results; `event` is the label of the event in GitHub's settings. */
export function githubCiSetup({ url, repository, web }: SetupValues, event: string): SetupGuide {
  return {
    where:
      `Settings → Webhooks: ${web('https://github.com')}/${repository}/settings/hooks ` +
      '(the webhook for pushes, or a new one)',
    settings: [
      ['Payload URL', url],
      ['Content type', 'application/json'],
      ['Which events', `Let me select individual events: Pushes, ${event}`],
    ],
  };
}

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
