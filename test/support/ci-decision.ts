import { DeployError } from '../../functions/core/errors.ts';
import type { CiConfig } from '../../functions/core/ports/ci-config.ts';

/** Why a configuration is refused. Fails when it is accepted. */
export function refusalOf({ decide }: CiConfig, text: string): DeployError {
  try {
    decide(text);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
