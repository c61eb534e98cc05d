import { isObject } from '../../../core/json.ts';
import type { HoldDecision } from '../../../core/ports/ci-config.ts';
import { asList, field, isAddress } from '../ci-config/settings.ts';
import { readYamlDocuments } from '../ci-config/yaml-text.ts';

/** The names that the webhook plugin goes by, in whichever registry. */
const plugins = ['webhook', 'plugin-webhook', 'drone-webhook'];

/**
 * Whether a push waits, by a configuration whose pipelines are documents with steps: it does when a step is the webhook
 * plugin with an address, and is reached by a push whose earlier steps passed. `provider` is the name of the CI provider
 * in sentences. Throws as `readYamlDocuments` does.
 */
export function decideByStep(text: string, path: string, provider: string): HoldDecision {
  const hooks = readYamlDocuments(text, path).flatMap(webhookSteps);
  if (hooks.some(({ isReached }) => isReached)) return { hold: true, waitsFor: provider };
  if (hooks.length === 0) return { hold: false, note: null };
  const note = `${path} calls its webhooks for no push that passed, so ${provider} would never release one: it was not held.`;
  return { hold: false, note };
}

/** A step that calls a webhook, and whether a push that passed gets there. */
interface WebhookStep {
  readonly isReached: boolean;
}

function webhookSteps(pipeline: unknown): readonly WebhookStep[] {
  const conditions = [field(pipeline, 'trigger'), field(pipeline, 'when')];
  return stepsOf(pipeline)
    .filter(isWebhook)
    .map((step) => ({ isReached: [...conditions, field(step, 'when')].every(admitsPush) }));
}

/** Steps are a list, or a map by name; until Drone 1.0 the map was called `pipeline`. */
function stepsOf(pipeline: unknown): readonly unknown[] {
  return ['steps', 'pipeline'].flatMap((key) => {
    const steps = field(pipeline, key);
    return isObject(steps) ? Object.values(steps) : asList(steps);
  });
}

function isWebhook(step: unknown): boolean {
  const image = field(step, 'image');
  const name = typeof image === 'string' ? image.split('/').at(-1)?.split(/[:@]/, 1)[0] : undefined;
  if (name === undefined || !plugins.includes(name)) return false;
  const urls = [field(field(step, 'settings'), 'urls'), field(step, 'urls')];
  return urls.flatMap(asList).some((url) => isAddress(url, 'from_secret'));
}

/** Whether a condition, or one of a list of them, lets a push pass whose status is success. */
function admitsPush(condition: unknown): boolean {
  const alternatives = asList(condition);
  if (alternatives.length === 0) return true;
  return alternatives.some((one) => admits(field(one, 'event'), 'push') && admits(field(one, 'status'), 'success'));
}

/** A condition is a value, a list of them, or a map with `include` and `exclude`; none is met by everything. */
function admits(setting: unknown, value: string): boolean {
  if (setting === undefined || setting === null) return true;
  if (!isObject(setting)) return asList(setting).includes(value);
  const include = asList(field(setting, 'include'));
  return (include.length === 0 || include.includes(value)) && !asList(field(setting, 'exclude')).includes(value);
}
