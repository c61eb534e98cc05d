import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { chosenBuildOutput } from '../adapters/platform/chosen/build-output.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { BuildLogPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<BuildLogPorts, 'trace'> & { readonly publicUrl: string | null }> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  return {
    log: dynamoDbReader(table),
    output: await chosenBuildOutput(systemClock),
    clock: systemClock,
    seconds: numberVariable('CHANGES_SECONDS'),
    publicUrl: publicUrl(),
  };
}
