import { rm } from 'node:fs/promises';
import { replaceFile } from '../../../lib/files/atomic-file.ts';
import { CREDENTIALS, REGION } from '../clients.ts';
import type { Endpoints, ServiceEndpoints } from '../emulators/emulators.ts';

/**
 * Writes a configuration file, readable by its owner only, with which the AWS CLI and every SDK use the emulators:
 * `AWS_CONFIG_FILE=<file> aws dynamodb list-tables`. Returns a function that removes it.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export async function publishAwsConfig(
  file: string,
  endpoints: Endpoints & Partial<ServiceEndpoints>,
): Promise<() => Promise<void>> {
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const services = [
    ['dynamodb', endpoints.dynamodb],
    ['sqs', endpoints.sqs],
    ['s3', endpoints.s3],
    ['kms', endpoints.kms],
    ['secrets_manager', endpoints.secretsManager],
    ['lambda', endpoints.lambda],
    ['codebuild', endpoints.codeBuild],
    ['cloudwatch_logs', endpoints.logs],
  ].filter(([, endpoint]) => endpoint !== undefined);
  const lines = [
    '[default]',
    `region = ${REGION}`,
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    'services = local',
    '',
    '[services local]',
    ...services.flatMap(([name, endpoint]) => [`${name} =`, `  endpoint_url = ${endpoint}`]),
    '',
  ];
  await replaceFile(file, lines.join('\n'), { secret: true });
  return () => rm(file, { force: true });
}
