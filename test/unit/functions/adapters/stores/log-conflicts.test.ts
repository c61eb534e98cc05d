import {
  DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { dynamoDbLog } from '../../../../../functions/adapters/stores/dynamodb/log.ts';
import { memoryClock, memoryIds } from '../../../../fakes/clock.ts';
import { append } from '../../../../support/entries.ts';

const conflict = new TransactionCanceledException({
  $metadata: {},
  message: 'conflict',
  CancellationReasons: [{ Code: 'TransactionConflict' }],
});

/** A log whose first `conflicts` transactions are in conflict with others. */
function contendedLog(conflicts: number) {
  const client = new DynamoDBClient({});
  const calls = mockClient(client);
  calls.on(GetItemCommand).resolves({});
  let left = conflicts;
  calls.on(TransactWriteItemsCommand).callsFake(() => {
    left -= 1;
    if (left >= 0) throw conflict;
    return {};
  });
  const clock = memoryClock();
  return { log: dynamoDbLog({ client, table: 'log', payloads: 'payloads', clock, ids: memoryIds() }), clock, calls };
}

describe('a transaction that is in conflict with other writers', () => {
  it('is tried again for twenty seconds', async () => {
    const { log } = contendedLog(150);
    await expect(append(log)).resolves.toMatchObject({ seq: 1 });
  });

  it('is an error after that time', async () => {
    const { log, clock } = contendedLog(Number.POSITIVE_INFINITY);
    const start = clock.now();
    await expect(append(log)).rejects.toThrow('in conflict with other writers');
    expect(clock.now() - start).toBeGreaterThanOrEqual(20_000);
    expect(clock.now() - start).toBeLessThan(21_000);
  });
});

describe('the counters of a user', () => {
  it('are read before a transaction when this process has not seen them within a second', async () => {
    const { log, clock, calls } = contendedLog(0);
    const reads = () => calls.commandCalls(GetItemCommand).length;
    await append(log);
    expect(reads()).toBe(1);
    await append(log);
    expect(reads()).toBe(1);
    await clock.sleep(1001);
    await append(log);
    expect(reads()).toBe(2);
    expect(calls.commandCalls(TransactWriteItemsCommand)).toHaveLength(3);
  });
});
