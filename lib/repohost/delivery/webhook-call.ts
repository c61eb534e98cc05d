import { type Webhook, webhookSecret } from '../running.ts';

/** Address and login of one call of the webhook. */
export interface WebhookCall {
  readonly url: string;
  readonly user: string;
  readonly secret: string;
}

/** Returns the call for a push to a repository of that owner: with the owner's login, if there is one. */
export function webhookCall(
  webhook: Webhook,
  { owner, defaultBranch }: { readonly owner: string; readonly defaultBranch: string },
): WebhookCall {
  const secret = webhookSecret(webhook, owner);
  return {
    url: webhook.url.replaceAll('{default_branch}', encodeURIComponent(defaultBranch)),
    ...(secret === null ? { user: webhook.user, secret: webhook.secret } : { user: owner, secret }),
  };
}
