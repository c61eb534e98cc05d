import type { Setup } from '../setup.ts';

/** Returns the instructions for Gitea or Forgejo, with the events to select. */
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
