import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { requiredSecret } from '../adapters/aws/secrets.ts';
import { httpApplications } from '../adapters/platform/applications.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/app-facts.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { AppsPorts } from './ports.ts';

/** Returns the endpoints' ports. A new service token is known to instances that start later. */
export async function connect(): Promise<AppsPorts & { readonly publicUrl: string | null }> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const platform = { url: variable('PLATFORM_URL'), serviceToken: await requiredSecret(variable('PLATFORM_SECRET')) };
  return {
    applications: httpApplications(platform),
    facts: dynamoDbAppFacts(table),
    log: dynamoDbReader(table),
    publicUrl: publicUrl(),
  };
}
