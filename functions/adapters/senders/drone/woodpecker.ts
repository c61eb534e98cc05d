import type { CiConfig } from '../../../core/ports/ci-config.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.woodpecker.yml';

/**
 * The configuration of Woodpecker: a push waits when it has a step with the webhook plugin
 * (https://woodpecker-ci.org/plugins/webhook, https://woodpecker-ci.org/docs/usage/workflow-syntax). Its configuration may
 * lie in other files as well, and the plugin calls as Drone's does, so that one is expected to call again once it has.
 */
export const woodpeckerConfig: CiConfig = {
  provider: 'woodpecker',
  path,
  elsewhere: true,
  decide: (text) => decideByStep(text, path, 'Woodpecker'),
};
