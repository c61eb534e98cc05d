import type { CiConfig } from '../../../core/ports/ci-config.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.drone.yml';

/**
 * The configuration of Drone: a push waits when one of its pipelines has a step with the webhook plugin
 * (https://plugins.drone.io/plugins/webhook, https://docs.drone.io/pipeline/triggers/). The server may call besides, for
 * every repository (https://docs.drone.io/webhooks/overview/).
 */
export const droneConfig: CiConfig = {
  provider: 'drone',
  path,
  elsewhere: true,
  decide: (text) => decideByStep(text, path, 'Drone'),
};
