import * as v from 'valibot';
import { DeployError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Clock } from '../../core/ports/system.ts';

/** The secrets are cached for this time. */
const FRESH_MS = 60_000;

/** Not one `v.record`, which leaves out `constructor` and `prototype`: a user may be called so. */
const SECRETS_SCHEMA = v.pipe(
  v.custom<object>(isObject),
  v.transform((scopes): unknown => Object.entries(scopes)),
  v.array(v.tuple([v.string(), v.record(v.string(), v.array(v.string()))])),
  v.transform((scopes) => Object.fromEntries(scopes)),
);

/** The secrets of webhooks by scope (`*`, a user, `user/owner/repository`), then by sender. */
type HookSecrets = v.InferOutput<typeof SECRETS_SCHEMA>;

interface HookSecretsOptions {
  /** Id of the secret; without one there are no secrets. */
  readonly id: string | undefined;
  readonly read: (id: string) => Promise<string | undefined>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns a function that returns the configured secrets of webhooks. They are read at the first call and again after a
 * minute; when reading again fails, the previous ones stay in use. Throws `deploy:db:failed_to_store_payload` when they
 * could never be read: a call that cannot be checked must not be accepted.
 */
export function hookSecrets({ id, read, clock }: HookSecretsOptions): () => Promise<HookSecrets> {
  let secrets: HookSecrets | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!id) return {};
    if (secrets && clock.now() < readAt + FRESH_MS) return secrets;
    try {
      secrets = v.parse(SECRETS_SCHEMA, JSON.parse((await read(id)) || '{}'));
    } catch (error) {
      if (!secrets) throw unreadable(error);
    }
    readAt = clock.now();
    return secrets;
  };
}

function unreadable(error: unknown): DeployError {
  const detail = 'The secrets of webhooks cannot be read. Nothing was stored; send the delivery again.';
  // The message of a parse error may quote the secret.
  const isMalformed = v.isValiError(error) || error instanceof SyntaxError;
  const cause = isMalformed ? new Error('It is not JSON of the right shape.') : error;
  return new DeployError('deploy:db:failed_to_store_payload', detail, { cause });
}
