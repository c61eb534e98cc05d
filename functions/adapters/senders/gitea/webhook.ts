import type { Setup } from '../setup.ts';
import { hmacHeader } from '../signatures/scheme.ts';

/** Gitea: the HMAC without a prefix (https://docs.gitea.com/usage/webhooks). */
export const giteaSignature = hmacHeader('', 'x-gitea-signature');

/** Forgejo, whose older versions send only Gitea's header. */
export const forgejoSignature = hmacHeader('', 'x-forgejo-signature', 'x-gitea-signature');

export function giteaSetup(events: string, ...notes: readonly string[]): Setup {
  return ({ plainUrl, authorization, repository }) => ({
    where: `Settings → Webhooks → Add Webhook: <your host>/${repository}/settings/hooks`,
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
