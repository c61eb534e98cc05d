import { DeleteItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { NoFreeSlot, StreamLease, StreamLeases } from '../../../../core/ports/limits.ts';
import type { Ids } from '../../../../core/ports/system.ts';
import { unless } from '../../../aws/failures.ts';
import { type Item, N, numberIn, S, stringIn } from '../items.ts';
import { type ConnectionsContext, itemsIn, transact } from '../table.ts';

interface LeasesContext extends ConnectionsContext {
  readonly ids: Pick<Ids, 'hex' | 'fraction'>;
  readonly slots: { readonly user: number; readonly service: number };
}

/** Streams that are opened at the same moment take each other's slots. */
const MAX_TRIES = 8;
const BUSY_MS = 1_000;

/**
 * Returns the leases in DynamoDB: an item for each taken slot, among those of its user and among those of the service,
 * written together on condition that both are free. So there is no count that a killed function could leave wrong.
 */
export function dynamoDbLeases(context: LeasesContext): StreamLeases {
  return {
    acquire: (user, until) => acquire(context, user, until),
    release: (lease) => release(context, lease),
  };
}

async function acquire(context: LeasesContext, user: string, until: number): Promise<StreamLease | NoFreeSlot> {
  const id = context.ids.hex(20);
  const { slots } = context;
  // Most slots are free most of the time: the first attempt is a guess, which needs no read.
  let free: Free = { user: range(slots.user), service: range(slots.service) };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const lease = { id, user, slots: { user: anyOf(free.user, context), service: anyOf(free.service, context) } };
    if (await write(context, lease, until)) return lease;
    const slots = await freeSlots(context, user);
    if ('taken' in slots) return slots;
    free = slots;
  }
  return { taken: 'service', slots: slots.service, freeAt: context.clock.now() + BUSY_MS };
}

interface Free {
  readonly user: readonly number[];
  readonly service: readonly number[];
}

/** Returns whether both slots were free. */
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

async function freeSlots(context: LeasesContext, user: string): Promise<Free | NoFreeSlot> {
  const [ofUser, ofService] = await Promise.all([
    takenSlots(context, userPartition(user)),
    takenSlots(context, SERVICE_PARTITION),
  ]);
  const { slots } = context;
  const free = {
    user: range(slots.user).filter((slot) => !ofUser.has(slot)),
    service: range(slots.service).filter((slot) => !ofService.has(slot)),
  };
  if (free.user.length === 0) return { taken: 'user', slots: slots.user, freeAt: Math.min(...ofUser.values()) };
  if (free.service.length > 0) return free;
  return { taken: 'service', slots: slots.service, freeAt: Math.min(...ofService.values()) };
}

/** Returns the slots that are taken, with the ends of their leases. */
async function takenSlots(context: LeasesContext, partition: string): Promise<Map<number, number>> {
  const items = await itemsIn(context, partition);
  const slots = items.map((item) => [Number(stringIn(item, 'sk')), numberIn(item, 'until') ?? 0] as const);
  // DynamoDB removes expired items within days, not seconds.
  return new Map(slots.filter(([, until]) => until > context.clock.now()));
}

async function release({ client, table }: LeasesContext, lease: StreamLease): Promise<void> {
  const remove = async (Key: Item) => {
    const mine = { ConditionExpression: 'lease = :id', ExpressionAttributeValues: { ':id': S(lease.id) } };
    const command = new DeleteItemCommand({ TableName: table, Key, ...mine });
    await unless('ConditionalCheckFailedException', client.send(command));
  };
  await Promise.all(keysOf(lease).map(remove));
}

const SERVICE_PARTITION = 'LEASES';
const userPartition = (user: string): string => `L#${user}`;

function keysOf({ user, slots }: StreamLease): Item[] {
  return [
    { pk: S(userPartition(user)), sk: S(String(slots.user)) },
    { pk: S(SERVICE_PARTITION), sk: S(String(slots.service)) },
  ];
}

function range(slots: number): readonly number[] {
  return Array.from({ length: slots }, (_, slot) => slot);
}

/** At random, because streams that are opened at the same moment must not all try the same. */
function anyOf(free: readonly number[], { ids }: LeasesContext): number {
  return free[Math.floor(ids.fraction() * free.length)] ?? 0;
}
