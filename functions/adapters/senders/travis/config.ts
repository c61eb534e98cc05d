import type { CiConfig, HoldDecision } from '../../../core/ports/ci-config.ts';
import { asList, field, isAddress, isNo, isYes } from '../ci-config/settings.ts';
import { readYaml } from '../ci-config/yaml-text.ts';

const path = '.travis.yml';

/**
 * The configuration of Travis CI: a push waits when the file has a webhook that is called on success
 * (https://docs.travis-ci.com/user/notifications/#configuring-webhook-notifications,
 * https://config.travis-ci.com/ref/notifications/webhooks). Whether the webhook is ours cannot be told, since its
 * address may be encrypted or a variable: any one holds.
 */
export const travisConfig: CiConfig = { provider: 'travis', path, decide };

/** One entry of `notifications.webhooks`: when it is called on success. It has an address. */
interface Webhook {
  readonly onSuccess: 'always' | 'change' | 'never';
}

function decide(text: string): HoldDecision {
  const config = readYaml(text, path);
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
  // `webhook` is an alias that Travis CI knows; `on_success` of the whole section is what an entry falls back to.
  return ['webhooks', 'webhook'].flatMap((key) =>
    asList(field(notifications, key)).flatMap((entry) => webhookOf(entry, field(notifications, 'on_success'))),
  );
}

function webhookOf(entry: unknown, fallback: unknown): readonly Webhook[] {
  if (isAddress(entry, 'secure')) return [{ onSuccess: when(fallback) }];
  if (isOff(entry)) return [];
  const addressed = [...asList(field(entry, 'urls')), ...asList(field(entry, 'url'))].some((one) =>
    isAddress(one, 'secure'),
  );
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
