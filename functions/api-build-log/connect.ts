import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { connectBuildOutput } from '../adapters/platform/platforms.ts';
import { streamLimits } from '../adapters/stores/dynamodb/limits/stream-limits.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { BuildLogPorts } from './ports.ts';

/** Returns the endpoint's ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<BuildLogPorts, 'trace'> & { readonly publicUrl: string | null }> {
  const system = { clock: systemClock, ids: systemIds };
  const table = { ...system, client: dynamoDb(), table: variable('LOG_TABLE') };
  return {
    log: dynamoDbReader(table),
    output: await connectBuildOutput(systemClock),
    clock: systemClock,
    ...streamLimits(system),
    publicUrl: publicUrl(),
  };
}
