import { ciConfigsOf } from '../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { senders } from '../../../functions/adapters/senders/registry.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { CiConfig } from '../../../functions/core/ports/sender.ts';

/** The CI configuration of a sender. */
export function ciConfig(id: string): CiConfig {
  const config = ciConfigsOf(senders).find(({ provider }) => provider === id);
  if (config === undefined) throw new Error(`${id} has no configuration file.`);
  return config;
}

/** Returns the error that a configuration which names a webhook is refused with; fails when it is accepted. */
export function refusalOf({ decide }: CiConfig, text: string): DeployError {
  try {
    decide(`${text} # webhook`);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
