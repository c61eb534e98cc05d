import { dynamoDb } from '../../adapters/aws/dynamodb.ts';
import { variable } from '../../adapters/aws/environment.ts';
import { dynamoDbUsers } from '../../adapters/stores/dynamodb/users.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemIds } from '../../adapters/system/ids.ts';
import { userPorts } from '../../core/users/users.ts';

// Apart from `aws-ports.ts`: the login runs before every request, and must load little.

/** Returns the users of the service, who are in the table of the log. */
export function storedUsers() {
  const store = dynamoDbUsers({ client: dynamoDb(), table: variable('LOG_TABLE') });
  return userPorts({ store, clock: systemClock, ids: systemIds });
}
