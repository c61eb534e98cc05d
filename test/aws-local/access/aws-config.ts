import { replaceFile } from '../../../lib/files/atomic-file.ts';
import { CREDENTIALS, REGION } from '../clients.ts';
import type { AllEndpoints } from '../services.ts';

/** The services as the AWS CLI and the SDKs name them. */
const SERVICE_IDS: Readonly<Record<keyof AllEndpoints, string>> = {
  dynamodb: 'dynamodb',
  sqs: 'sqs',
  s3: 's3',
  kms: 'kms',
  secretsManager: 'secrets_manager',
  lambda: 'lambda',
  codeBuild: 'codebuild',
  logs: 'cloudwatch_logs',
};

function byServiceId(endpoints: AllEndpoints): ReadonlyArray<readonly [id: string, endpoint: string]> {
  return Object.entries(endpoints).map(([name, endpoint]) => [SERVICE_IDS[name as keyof AllEndpoints], endpoint]);
}

/**
 * Returns the variables with which every SDK uses the emulators.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function endpointVariables(endpoints: AllEndpoints): Record<string, string> {
  return {
    ...Object.fromEntries(byServiceId(endpoints).map(([id, url]) => [`AWS_ENDPOINT_URL_${id.toUpperCase()}`, url])),
    // It answers that it has no such operation: no call reaches AWS from here.
    AWS_ENDPOINT_URL: endpoints.kms,
  };
}

/**
 * Writes a configuration file, readable by its owner only, with which the AWS CLI and every SDK use the emulators:
 * `AWS_CONFIG_FILE=<file> aws dynamodb list-tables`.
 */
export async function publishAwsConfig(file: string, endpoints: AllEndpoints): Promise<void> {
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const lines = [
    ...['[default]', `region = ${REGION}`, `aws_access_key_id = ${accessKeyId}`],
    ...[`aws_secret_access_key = ${secretAccessKey}`, 'services = local', '', '[services local]'],
    ...byServiceId(endpoints).flatMap(([id, endpoint]) => [`${id} =`, `  endpoint_url = ${endpoint}`]),
    '',
  ];
  await replaceFile(file, lines.join('\n'), { secret: true });
}
