import { createHash } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { FailureMemory, LoginFailures, LoginSource } from '../../../../core/ports/limits.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { type Item, N, numberIn, S } from '../items.ts';

/** The table of connections, which has the wrong logins too. */
interface MemoryContext {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** After the last failure of a user from an address: a burst of tries that are under way together is rare then. */
const HERE_SECONDS = 60 * 60;
/** After the first failure of a user, or from an address. */
const ATTACK_SECONDS = 10 * 60;

/**
 * Returns the memory of wrong passwords in DynamoDB: a counter each for the user from the address, the user, and the
 * address. Their keys are digests, because the names are what strangers send.
 */
export function dynamoDbFailures(context: MemoryContext): FailureMemory {
  return {
    read: (source) => read(context, source),
    beginPause: (source, seen, until) => beginPause(context, source, seen, until),
    add: async (source) => {
      const { here, user, address } = keysOf(source);
      await Promise.all([
        add(context, here, { seconds: HERE_SECONDS, prolong: true }),
        ...[user, address].map((key) => add(context, key, { seconds: ATTACK_SECONDS, prolong: false })),
      ]);
    },
    forget: async (source) => {
      const { client, table } = context;
      await client.send(new DeleteItemCommand({ TableName: table, Key: keysOf(source).here }));
    },
  };
}

async function read({ client, table, clock }: MemoryContext, source: LoginSource): Promise<LoginFailures> {
  const keys = keysOf(source);
  const [here, user, address] = await Promise.all(
    [keys.here, keys.user, keys.address].map(async (Key) => {
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
      // DynamoDB removes expired items within days, not seconds.
      return (numberIn(Item, 'expires') ?? 0) * 1000 > clock.now() ? Item : undefined;
    }),
  );
  const count = (item: Item | undefined) => numberIn(item, 'failures') ?? 0;
  const pauseUntil = numberIn(here, 'pause_until') ?? 0;
  return { here: count(here), pauseUntil, ofUser: count(user), ofAddress: count(address) };
}

async function beginPause(
  { client, table }: MemoryContext,
  source: LoginSource,
  { pauseUntil }: LoginFailures,
  until: number,
): Promise<boolean> {
  const update = new UpdateItemCommand({
    TableName: table,
    Key: keysOf(source).here,
    UpdateExpression: 'SET pause_until = :until',
    ConditionExpression: 'attribute_exists(failures) AND (attribute_not_exists(pause_until) OR pause_until = :seen)',
    ExpressionAttributeValues: { ':until': N(until), ':seen': N(pauseUntil) },
  });
  return succeeds(client.send(update));
}

interface Lifetime {
  readonly seconds: number;
  /** Whether each failure prolongs it. */
  readonly prolong: boolean;
}

/** Adds one to a counter, and begins a new one when it has expired. */
async function add({ client, table, clock }: MemoryContext, Key: Item, { seconds, prolong }: Lifetime): Promise<void> {
  const expires = N(Math.ceil(clock.now() / 1000) + seconds);
  const counted = new UpdateItemCommand({
    TableName: table,
    Key,
    UpdateExpression: `${prolong ? 'SET expires = :expires ' : ''}ADD failures :one`,
    ConditionExpression: 'expires > :now',
    ExpressionAttributeValues: {
      ':one': N(1),
      ':now': N(clock.now() / 1000),
      ...(prolong && { ':expires': expires }),
    },
  });
  if (await succeeds(client.send(counted))) return;
  const begun = new UpdateItemCommand({
    TableName: table,
    Key,
    UpdateExpression: 'SET failures = :one, expires = :expires REMOVE pause_until',
    ConditionExpression: 'attribute_not_exists(expires) OR expires <= :now',
    ExpressionAttributeValues: { ':one': N(1), ':expires': expires, ':now': N(clock.now() / 1000) },
  });
  // Another failure at the same moment has begun it.
  if (!(await succeeds(client.send(begun)))) await client.send(counted);
}

/** Returns whether the condition of a write held. */
async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

function keysOf({ user, address }: LoginSource) {
  const key = (...parts: readonly string[]): Item => ({
    pk: S(`F#${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`),
    sk: S('FAILURES'),
  });
  return { here: key('both', user, address), user: key('user', user), address: key('address', address) };
}
