import type { HoldDecision } from '../../../core/ports/sender.ts';
import { asList, field, isAddress } from '../ci-config/settings.ts';
import type { ConfigFile } from '../define-sender.ts';

/**
 * The configuration of Buildkite: a push waits when the build notifies a webhook
 * (https://buildkite.com/docs/pipelines/configure/notifications#webhooks). Its condition (`if`) is not evaluated: any
 * webhook counts. A file that is only a list of steps has no notifications.
 */
export const buildkiteConfig: ConfigFile = {
  path: '.buildkite/pipeline.yml',
  format: 'documents',
  alsoElsewhere: true,
  decide,
};

function decide([config]: readonly unknown[]): HoldDecision {
  const hooks = asList(field(config, 'notify')).flatMap((entry) => asList(field(entry, 'webhook')));
  return hooks.some((hook) => isAddress(hook, 'secure'))
    ? { hold: true, waitsFor: 'Buildkite' }
    : { hold: false, note: null };
}
