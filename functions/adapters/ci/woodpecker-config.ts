import type { CiConfig } from '../../core/ports/sender.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.woodpecker.yml';

/**
 * The configuration of Woodpecker: a push waits when it has a step with the webhook plugin
 * (https://woodpecker-ci.org/plugins/webhook, https://woodpecker-ci.org/docs/usage/workflow-syntax).
 */
export const woodpeckerConfig: CiConfig = {
  provider: 'woodpecker',
  path,
  decide: (text) => decideByStep(text, path, 'Woodpecker'),
};
