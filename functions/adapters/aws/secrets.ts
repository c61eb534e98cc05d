import { once } from '../../core/concurrency.ts';
import { requestLimits } from './client-settings.ts';

/** The client is loaded at the first read: it takes longer than everything else at a cold start. */
const secretsManager = once(async () => {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient(requestLimits(5_000));
  return (id: string) => client.send(new GetSecretValueCommand({ SecretId: id }));
});

export async function readSecret(id: string): Promise<string | undefined> {
  const getValue = await secretsManager();
  const { SecretString } = await getValue(id);
  return SecretString;
}
