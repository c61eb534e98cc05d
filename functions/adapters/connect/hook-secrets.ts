import * as v from 'valibot';
import type { HookSecrets } from '../../api-deploy/signature.ts';
import { DeployError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { systemClock } from '../system/system.ts';

/** Milliseconds until a changed secret is known. */
const FRESH = 60_000;

const shape = v.record(v.string(), v.record(v.string(), v.array(v.string())));

/**
 * The secrets of webhooks, from the secret `HOOK_SECRETS`; none when that is not set. Read when the first call comes and
 * again after a minute; where that fails, the last ones hold. Throws `deploy:db:failed_to_store_payload` when there never
 * were any: a call that cannot be checked is not let in.
 */
export function connectHookSecrets(
  id = process.env.HOOK_SECRETS,
  read: (id: string) => Promise<string | undefined> = readSecret,
  clock: Pick<Clock, 'now'> = systemClock,
): () => Promise<HookSecrets> {
  let known: HookSecrets | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!id) return {};
    if (known && clock.now() < readAt + FRESH) return known;
    try {
      known = v.parse(shape, JSON.parse((await read(id)) || '{}'));
    } catch (error) {
      if (!known) throw unreadable(error);
    }
    readAt = clock.now();
    return known;
  };
}

/** The client is loaded only where there is something to read: it takes longer than all else at the start. */
async function readSecret(id: string): Promise<string | undefined> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: id }));
  return SecretString;
}

function unreadable(cause: unknown): DeployError {
  const detail = 'The secrets of webhooks cannot be read. Nothing was stored; send the delivery again.';
  // What is wrong with the secret must not show what is in it.
  const told =
    v.isValiError(cause) || cause instanceof SyntaxError ? new Error('It is not JSON of the right shape.') : cause;
  return new DeployError('deploy:db:failed_to_store_payload', detail, { cause: told });
}
