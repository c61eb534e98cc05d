import type { CiConfig, HoldDecision } from '../../../core/ports/ci-config.ts';
import { asList, field, isAddress } from '../ci-config/settings.ts';
import { readYamlDocuments } from '../ci-config/yaml-text.ts';

const path = '.buildkite/pipeline.yml';

/**
 * The configuration of Buildkite: a push waits when the build notifies a webhook
 * (https://buildkite.com/docs/pipelines/configure/notifications#webhooks). Whether its condition (`if`) will be met cannot
 * be told: any webhook holds. A file that is only a list of steps notifies nobody.
 */
export const buildkiteConfig: CiConfig = { provider: 'buildkite', path, decide, elsewhere: true };

function decide(text: string): HoldDecision {
  const [config] = readYamlDocuments(text, path);
  const hooks = asList(field(config, 'notify')).flatMap((entry) => asList(field(entry, 'webhook')));
  return hooks.some((hook) => isAddress(hook, 'secure'))
    ? { hold: true, waitsFor: 'Buildkite' }
    : { hold: false, note: null };
}
