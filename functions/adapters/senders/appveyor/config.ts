import type { HoldDecision } from '../../../core/ports/sender.ts';
import { asList, field, isAddress, isNo, isYes } from '../ci-config/settings.ts';
import type { ConfigFile } from '../define-sender.ts';

const path = 'appveyor.yml';

/**
 * The configuration of AppVeyor: a push waits when one of its notifications is a webhook that is called on success
 * (https://www.appveyor.com/docs/notifications/). The file may be a list of configurations for different branches;
 * AppVeyor decides which one is used, so a webhook in any of them counts.
 */
export const appveyorConfig: ConfigFile = { path, format: 'documents', alsoElsewhere: true, decide };

function decide([config]: readonly unknown[]): HoldDecision {
  const hooks = asList(config)
    .flatMap((branchConfig) => asList(field(branchConfig, 'notifications')))
    .filter(isWebhook);
  if (hooks.some((hook) => !isNo(field(hook, 'on_build_success')))) return { hold: true, waitsFor: 'AppVeyor' };
  if (hooks.some((hook) => isYes(field(hook, 'on_build_status_changed')))) {
    return { hold: true, waitsFor: 'AppVeyor, which calls only when the result changes (on_build_success: false)' };
  }
  if (hooks.length === 0) return { hold: false, note: null };
  return {
    hold: false,
    note: `${path} says on_build_success: false for its webhooks, so AppVeyor would never release the push: it was not held.`,
  };
}

function isWebhook(notification: unknown): boolean {
  const provider = field(notification, 'provider');
  if (typeof provider !== 'string' || provider.toLowerCase() !== 'webhook') return false;
  return isAddress(field(notification, 'url'), 'secure');
}
