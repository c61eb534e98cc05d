import { isObject } from '../../../core/json.ts';
import type { HoldDecision } from '../../../core/ports/sender.ts';
import { asList, field, isAddress } from '../ci-config/settings.ts';
import type { ConfigFile } from '../define-sender.ts';

/**
 * The configuration of Drone: a push waits when one of its pipelines has a step with the webhook plugin
 * (https://plugins.drone.io/plugins/webhook, https://docs.drone.io/pipeline/triggers/). The server can also be
 * configured to call for every repository (https://docs.drone.io/webhooks/overview/).
 */
export const droneConfig = byStep('.drone.yml', 'Drone');

/**
 * The configuration of Woodpecker: a push waits when the file has a step with the webhook plugin
 * (https://woodpecker-ci.org/plugins/webhook, https://woodpecker-ci.org/docs/usage/workflow-syntax). Woodpecker reads
 * its configuration from other files too.
 */
export const woodpeckerConfig = byStep('.woodpecker.yml', 'Woodpecker');

/** The names of the webhook plugin in the different registries. */
const plugins = ['webhook', 'plugin-webhook', 'drone-webhook'];

/**
 * Returns a configuration whose documents are pipelines with steps: a push waits when a step is the webhook plugin with
 * a URL and runs for pushes whose earlier steps passed. `provider` is the display name of the CI provider.
 */
function byStep(path: string, provider: string): ConfigFile {
  const decide = (documents: readonly unknown[]): HoldDecision => {
    const areReached = documents.flatMap(webhookSteps);
    if (areReached.includes(true)) return { hold: true, waitsFor: provider };
    if (areReached.length === 0) return { hold: false, note: null };
    const note = `${path} calls its webhooks for no push that passed, so ${provider} would never release one: it was not held.`;
    return { hold: false, note };
  };
  return { path, format: 'documents', alsoElsewhere: true, decide };
}

/** Returns for each step that calls a webhook whether it runs for a push that passed. */
function webhookSteps(pipeline: unknown): readonly boolean[] {
  const conditions = [field(pipeline, 'trigger'), field(pipeline, 'when')];
  return stepsOf(pipeline)
    .filter(isWebhook)
    .map((step) => [...conditions, field(step, 'when')].every(admitsPush));
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

/** Whether a condition, or one of a list of them, is met by a push whose status is success. */
function admitsPush(condition: unknown): boolean {
  const alternatives = asList(condition);
  if (alternatives.length === 0) return true;
  return alternatives.some((one) => admits(field(one, 'event'), 'push') && admits(field(one, 'status'), 'success'));
}

/** A condition is a value, a list of them, or a map with `include` and `exclude`; a missing one is always met. */
function admits(setting: unknown, value: string): boolean {
  if (setting === undefined || setting === null) return true;
  if (!isObject(setting)) return asList(setting).includes(value);
  const include = asList(field(setting, 'include'));
  return (include.length === 0 || include.includes(value)) && !asList(field(setting, 'exclude')).includes(value);
}
