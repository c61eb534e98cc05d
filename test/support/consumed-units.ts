import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What the requests of a client have cost. */
export interface ConsumedUnits {
  writes: number;
  reads: number;
}

const READS = /^(?:Get|Query|Scan)/;

/** Counts what the requests of a client cost from now on, by what the database says itself. */
export function consumedUnits(client: DynamoDBClient): ConsumedUnits {
  const units: ConsumedUnits = { writes: 0, reads: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        const answer = await next({ ...request, input: { ...request.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
        const sum = [ConsumedCapacity].flat().reduce((all, { CapacityUnits = 0 }) => all + CapacityUnits, 0);
        units[READS.test(commandName) ? 'reads' : 'writes'] += sum;
        return answer;
      },
    { step: 'initialize' },
  );
  return units;
}
