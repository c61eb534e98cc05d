import type { SetupGuide, SetupValues } from '../setup.ts';
import { hmacHeader } from '../signatures/scheme.ts';

/**
 * GitHub: over the raw body, JSON or form
 * (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
 */
export const githubSignature = hmacHeader('sha256=', 'x-hub-signature-256');

/** When a push waits for the results that GitHub's own webhook sends. */
export const githubHolds =
  "once the ping of the repository's webhook lists this event, or a result was received before";

/** Returns the instructions to send CI results; `event` is the label of the event in GitHub's settings. */
export function githubCiSetup({ url, repository }: SetupValues, event: string): SetupGuide {
  return {
    where:
      `Settings → Webhooks: https://github.com/${repository}/settings/hooks ` +
      '(the webhook for pushes, or a new one)',
    settings: [
      ['Payload URL', url],
      ['Content type', 'application/json'],
      ['Which events', `Let me select individual events: Pushes, ${event}`],
    ],
  };
}
