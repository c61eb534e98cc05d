import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { HostingPlatform } from '../../core/ports/hosting-platform.ts';
import { httpPlatform } from '../platforms/http.ts';
import { variable } from './environment.ts';

/**
 * The platform at `PLATFORM_URL`, with the service's own token from the secret `PLATFORM_SECRET`. Read once, when the
 * function starts: a new token is known to the next instances.
 */
export async function connectPlatform(): Promise<HostingPlatform> {
  return httpPlatform({ url: variable('PLATFORM_URL'), serviceToken: await serviceToken(variable('PLATFORM_SECRET')) });
}

async function serviceToken(secret: string): Promise<string> {
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: secret }));
  if (!SecretString) throw new Error('The secret PLATFORM_SECRET is empty.');
  return SecretString;
}
