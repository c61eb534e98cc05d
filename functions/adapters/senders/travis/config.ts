import type { HoldDecision } from '../../../core/ports/sender.ts';
import { asList, field, isAddress, isNo, isYes } from '../ci-config/settings.ts';
import type { ConfigFile } from '../define-sender.ts';

const path = '.travis.yml';

/**
 * The configuration of Travis CI: a push waits when the file has a webhook that is called on success
 * (https://docs.travis-ci.com/user/notifications/#configuring-webhook-notifications,
 * https://config.travis-ci.com/ref/notifications/webhooks). The webhook's address may be encrypted or a variable, so
 * any address counts as ours.
 */
export const travisConfig: ConfigFile = { path, decide };

/** An entry of `notifications.webhooks` with an address: when it is called on success. */
interface Webhook {
  readonly onSuccess: 'always' | 'change' | 'never';
}

function decide(config: unknown): HoldDecision {
  const webhooks = asList(field(config, 'notifications')).flatMap(webhooksOf);
  if (webhooks.some(({ onSuccess }) => onSuccess === 'always')) return { hold: true, waitsFor: 'Travis CI' };
  if (webhooks.some(({ onSuccess }) => onSuccess === 'change')) {
    return { hold: true, waitsFor: 'Travis CI, which calls only when the result changes (on_success: change)' };
  }
  if (webhooks.length === 0) return { hold: false, note: null };
  return {
    hold: false,
    note: `${path} says on_success: never for its webhooks, so Travis CI would never release the push: it was not held.`,
  };
}

function webhooksOf(notifications: unknown): readonly Webhook[] {
  if (isOff(notifications)) return [];
  // `webhook` is an alias; `on_success` of the whole section is the default of its entries.
  return ['webhooks', 'webhook'].flatMap((key) =>
    asList(field(notifications, key)).flatMap((entry) => webhookOf(entry, field(notifications, 'on_success'))),
  );
}

function webhookOf(entry: unknown, fallback: unknown): readonly Webhook[] {
  if (isAddress(entry)) return [{ onSuccess: when(fallback) }];
  if (isOff(entry)) return [];
  const addressed = [...asList(field(entry, 'urls')), ...asList(field(entry, 'url'))].some(isAddress);
  return addressed ? [{ onSuccess: when(field(entry, 'on_success') ?? fallback) }] : [];
}

function isOff(section: unknown): boolean {
  const enabled = field(section, 'enabled');
  return isNo(section) || (enabled !== undefined && isNo(enabled)) || isYes(field(section, 'disabled'));
}

function when(value: unknown): Webhook['onSuccess'] {
  if (value === 'change') return 'change';
  return value === 'never' || isNo(value) ? 'never' : 'always';
}
