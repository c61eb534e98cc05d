import { DeployError } from '../../../functions/core/errors.ts';

/** Returns the `DeployError` with which work fails; throws anything else. */
export async function failure(work: Promise<unknown>): Promise<DeployError> {
  const error: unknown = await work.then(
    () => new Error('It did not fail.'),
    (thrown) => thrown,
  );
  if (error instanceof DeployError) return error;
  throw error;
}
