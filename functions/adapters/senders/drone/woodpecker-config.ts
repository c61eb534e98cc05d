import type { ConfigFile } from '../define-sender.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.woodpecker.yml';

/**
 * The configuration of Woodpecker: a push waits when the file has a step with the webhook plugin
 * (https://woodpecker-ci.org/plugins/webhook, https://woodpecker-ci.org/docs/usage/workflow-syntax). Woodpecker reads
 * its configuration from other files too.
 */
export const woodpeckerConfig: ConfigFile = {
  path,
  format: 'documents',
  alsoElsewhere: true,
  decide: (documents) => decideByStep(documents, path, 'Woodpecker'),
};
