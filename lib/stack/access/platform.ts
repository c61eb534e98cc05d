import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Parameters } from '../parameters.ts';
import { type Access, all, allow } from './access.ts';

/** Calls the platform with the service's own token. */
export function callPlatform(parameters: Parameters, token: Secret): Access {
  return all(knowPlatform(parameters), {
    environment: { PLATFORM_SECRET: token.secretArn },
    statements: [allow(['secretsmanager:GetSecretValue'], token.secretArn)],
  });
}

/** Knows the platform's address, to check a caller's credentials there. */
export function knowPlatform({ platformUrl }: Parameters): Access {
  return { environment: { PLATFORM_URL: platformUrl.valueAsString } };
}
