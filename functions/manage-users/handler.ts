import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { tableUsers } from '../adapters/platform/aws-lambda/accounts/users.ts';
import { platformTable } from '../adapters/platform/aws-lambda/table/table.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { operatorTrigger } from '../triggers/operator.ts';
import { manage } from './manage.ts';

// Fails where the service uses another platform, which has its own users.
export const handler = operatorTrigger(manage, () => {
  const table = platformTable({ client: dynamoDb(), table: variable('PLATFORM_TABLE') });
  return tableUsers({ table, clock: systemClock });
});
