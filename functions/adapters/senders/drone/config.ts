import type { ConfigFile } from '../define-sender.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.drone.yml';

/**
 * The configuration of Drone: a push waits when one of its pipelines has a step with the webhook plugin
 * (https://plugins.drone.io/plugins/webhook, https://docs.drone.io/pipeline/triggers/). The server can also be
 * configured to call for every repository (https://docs.drone.io/webhooks/overview/).
 */
export const droneConfig: ConfigFile = {
  path,
  format: 'documents',
  alsoElsewhere: true,
  decide: (documents) => decideByStep(documents, path, 'Drone'),
};
