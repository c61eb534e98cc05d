import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { AppsPlatform } from '../apps/apps-platform.ts';
import type { Parameters } from '../parameters.ts';
import { type Access, all, allow, only } from './access.ts';

/** The platform as the functions see it: the one of the parameter `Platform`. */
export interface PlatformAccess {
  readonly parameters: Parameters;
  /** With which the service calls a platform that is not in this account. */
  readonly token: Secret;
  /** The platform in this account. */
  readonly apps: AppsPlatform;
}

/** Calls a platform that is not in this account with the service's own token; on AWS Lambda it may do nothing. */
export function callPlatform({ parameters, token }: Pick<PlatformAccess, 'parameters' | 'token'>): Access {
  const useToken = only(parameters.onHttp, {
    environment: { PLATFORM_SECRET: token.secretArn },
    statements: [allow(['secretsmanager:GetSecretValue'], token.secretArn)],
  });
  return all(knowPlatform(parameters), useToken);
}

function knowPlatform({ platform, platformUrl }: Parameters): Access {
  return { environment: { PLATFORM: platform.valueAsString, PLATFORM_URL: platformUrl.valueAsString } };
}

/** Works with the table of the platform in this account: its applications and snapshots. */
export function tableAccess(
  { parameters, apps }: Pick<PlatformAccess, 'parameters' | 'apps'>,
  actions: readonly string[],
): Access {
  return only(parameters.onLambda, {
    environment: { PLATFORM_TABLE: apps.table.tableName },
    statements: [
      allow(
        actions.map((action) => `dynamodb:${action}`),
        apps.table.tableArn,
      ),
    ],
  });
}
