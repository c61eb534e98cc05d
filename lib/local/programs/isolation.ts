import { OperatorError } from '../../files/errors.ts';
import type { Isolation } from '../../process/sandbox.ts';
import { trySandbox } from '../../process/sandbox-trial.ts';
import type { Config } from '../config/schema.ts';

/**
 * Returns how applications and builds are isolated, by the setting and what this machine can do; null: not. With `auto`, which
 * is the default, the operator is told why not.
 *
 * @throws OperatorError when it is `required` and this machine cannot
 */
export async function isolationFor(
  { isolation: setting = 'auto' }: Pick<Config, 'isolation'>,
  {
    hidden,
    warn,
    tried = trySandbox,
  }: Pick<Isolation, 'hidden'> & {
    readonly warn: (sentence: string) => void;
    readonly tried?: typeof trySandbox;
  },
): Promise<Isolation | null> {
  if (setting === 'off') return null;
  const trial = await tried();
  if ('command' in trial) return { ...trial, hidden };
  if (setting === 'required') throw new OperatorError(`Applications cannot be isolated ("isolation"): ${trial.why}.`);
  warn(`Applications are not isolated from each other and from the service: ${trial.why}.`);
  return null;
}
