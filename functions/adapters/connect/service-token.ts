import { variable } from './environment.ts';

/**
 * The service's own token for the platform, from the secret `PLATFORM_SECRET`. Read once, when the function starts: a new
 * token is known to the next instances.
 */
export async function connectServiceToken(): Promise<string> {
  return readSecret(variable('PLATFORM_SECRET'));
}

/** The same, read at its first use: who waits for an answer shall not wait for it. A read that failed is tried again. */
export function serviceTokenWhenNeeded(): () => Promise<string> {
  const id = variable('PLATFORM_SECRET');
  let known: string | undefined;
  return async () => {
    known ??= await readSecret(id);
    return known;
  };
}

/** The client is loaded only here: it takes longer than all else at the start. */
async function readSecret(id: string): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: id }));
  if (!SecretString) throw new Error('The secret PLATFORM_SECRET is empty.');
  return SecretString;
}
