import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../../core/ports/clock.ts';
import type { Ids } from '../../../../core/ports/ids.ts';
import type { NoPlace, StreamLease, StreamLeases } from '../../../../core/ports/limits/stream-leases.ts';
import { type Item, N, numberIn, S, stringIn } from '../items.ts';
import { transact } from '../transact.ts';

/** The table of connections, which has the leases too, and how many places there are. */
export interface LeasesContext {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex' | 'fraction'>;
  readonly places: { readonly user: number; readonly service: number };
}

/** Streams that are opened at the same moment take each other's places. */
const MAX_TRIES = 8;
const BUSY_MS = 1_000;

/**
 * Returns the leases in DynamoDB: an item for each taken place, among those of its user and among those of the service,
 * written together on condition that both are free. So there is no count that a killed function could leave wrong.
 */
export function dynamoDbLeases(context: LeasesContext): StreamLeases {
  return {
    take: (user, until) => take(context, user, until),
    giveBack: (lease) => giveBack(context, lease),
  };
}

async function take(context: LeasesContext, user: string, until: number): Promise<StreamLease | NoPlace> {
  const id = context.ids.hex(20);
  const { places } = context;
  // Most places are free most of the time: the first try is a guess, which costs no read.
  let free: Free = { user: range(places.user), service: range(places.service) };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const lease = { id, user, places: { user: anyOf(free.user, context), service: anyOf(free.service, context) } };
    if (await write(context, lease, until)) return lease;
    const found = await freePlaces(context, user);
    if ('taken' in found) return found;
    free = found;
  }
  return { taken: 'service', places: places.service, freeAt: context.clock.now() + BUSY_MS };
}

interface Free {
  readonly user: readonly number[];
  readonly service: readonly number[];
}

/** Returns whether both places were free. */
async function write({ client, table, clock }: LeasesContext, lease: StreamLease, until: number): Promise<boolean> {
  const put = (key: Item): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: { ...key, lease: S(lease.id), until: N(until), expires: N(Math.ceil(until / 1000)) },
      ConditionExpression: 'attribute_not_exists(pk) OR #until <= :now',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':now': N(clock.now()) },
    },
  });
  return (await transact(client, keysOf(lease).map(put))) === null;
}

async function freePlaces(context: LeasesContext, user: string): Promise<Free | NoPlace> {
  const [ofUser, ofService] = await Promise.all([
    takenPlaces(context, userPartition(user)),
    takenPlaces(context, SERVICE_PARTITION),
  ]);
  const { places } = context;
  const free = {
    user: range(places.user).filter((place) => !ofUser.has(place)),
    service: range(places.service).filter((place) => !ofService.has(place)),
  };
  if (free.user.length === 0) return { taken: 'user', places: places.user, freeAt: Math.min(...ofUser.values()) };
  if (free.service.length > 0) return free;
  return { taken: 'service', places: places.service, freeAt: Math.min(...ofService.values()) };
}

/** Returns the places that are taken, with the ends of their leases. */
async function takenPlaces({ client, table, clock }: LeasesContext, partition: string): Promise<Map<number, number>> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': S(partition) },
      ConsistentRead: true,
    },
  );
  const found = new Map<number, number>();
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const until = numberIn(item, 'until') ?? 0;
      // DynamoDB removes expired items within days, not seconds.
      if (until > clock.now()) found.set(Number(stringIn(item, 'sk')), until);
    }
  }
  return found;
}

async function giveBack({ client, table }: LeasesContext, lease: StreamLease): Promise<void> {
  const remove = async (Key: Item) => {
    const mine = { ConditionExpression: 'lease = :id', ExpressionAttributeValues: { ':id': S(lease.id) } };
    await client.send(new DeleteItemCommand({ TableName: table, Key, ...mine })).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  };
  await Promise.all(keysOf(lease).map(remove));
}

const SERVICE_PARTITION = 'LEASES';
const userPartition = (user: string): string => `L#${user}`;

function keysOf({ user, places }: StreamLease): Item[] {
  return [
    { pk: S(userPartition(user)), sk: S(String(places.user)) },
    { pk: S(SERVICE_PARTITION), sk: S(String(places.service)) },
  ];
}

function range(places: number): readonly number[] {
  return Array.from({ length: places }, (_, place) => place);
}

/** At random, because streams that are opened at the same moment must not all try the same. */
function anyOf(free: readonly number[], { ids }: LeasesContext): number {
  return free[Math.floor(ids.fraction() * free.length)] ?? 0;
}
