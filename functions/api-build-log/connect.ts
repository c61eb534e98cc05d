import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { requiredSecret } from '../adapters/aws/secrets.ts';
import { httpBuildOutput } from '../adapters/platform/build-output.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { BuildLogPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<BuildLogPorts, 'trace'> & { readonly publicUrl: string | null }> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const platform = { url: variable('PLATFORM_URL'), serviceToken: await requiredSecret(variable('PLATFORM_SECRET')) };
  return {
    log: dynamoDbReader(table),
    output: httpBuildOutput(platform),
    clock: systemClock,
    seconds: numberVariable('CHANGES_SECONDS'),
    publicUrl: publicUrl(),
  };
}
