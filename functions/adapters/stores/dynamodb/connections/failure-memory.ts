import { createHash } from 'node:crypto';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import type { FailureMemory, LoginFailures, LoginSource } from '../../../../core/ports/limits.ts';
import { type Item, N, numberIn, S } from '../items.ts';
import { type ConnectionsContext, readItem, update } from '../table.ts';

/** After the last failure of a user from an address: a burst of tries that are under way together is rare then. */
const HERE_SECONDS = 60 * 60;
/** After the first failure of a user, or from an address. */
const ATTACK_SECONDS = 10 * 60;

/**
 * Returns the memory of wrong passwords in DynamoDB: a counter each for the user from the address, the user, and the
 * address. Their keys are digests, because the names are what strangers send.
 */
export function dynamoDbFailures(context: ConnectionsContext): FailureMemory {
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

async function read(context: ConnectionsContext, source: LoginSource): Promise<LoginFailures> {
  const keys = keysOf(source);
  const [here, user, address] = await Promise.all(
    [keys.here, keys.user, keys.address].map(async (key) => {
      const item = await readItem(context, key);
      // DynamoDB removes expired items within days, not seconds.
      return (numberIn(item, 'expires') ?? 0) * 1000 > context.clock.now() ? item : undefined;
    }),
  );
  const count = (item: Item | undefined) => numberIn(item, 'failures') ?? 0;
  const pauseUntil = numberIn(here, 'pause_until') ?? 0;
  return { here: count(here), pauseUntil, ofUser: count(user), ofAddress: count(address) };
}

async function beginPause(
  context: ConnectionsContext,
  source: LoginSource,
  { pauseUntil }: LoginFailures,
  until: number,
): Promise<boolean> {
  const { holds } = await update(context, keysOf(source).here, {
    UpdateExpression: 'SET pause_until = :until',
    ConditionExpression: 'attribute_exists(failures) AND (attribute_not_exists(pause_until) OR pause_until = :seen)',
    ExpressionAttributeValues: { ':until': N(until), ':seen': N(pauseUntil) },
  });
  return holds;
}

interface Lifetime {
  readonly seconds: number;
  /** Whether each failure prolongs it. */
  readonly prolong: boolean;
}

/** Adds one to a counter, and begins a new one when it has expired. */
async function add(context: ConnectionsContext, key: Item, { seconds, prolong }: Lifetime): Promise<void> {
  const now = context.clock.now() / 1000;
  const expires = N(Math.ceil(now) + seconds);
  const counted = {
    UpdateExpression: `${prolong ? 'SET expires = :expires ' : ''}ADD failures :one`,
    ConditionExpression: 'expires > :now',
    ExpressionAttributeValues: {
      ':one': N(1),
      ':now': N(now),
      ...(prolong && { ':expires': expires }),
    },
  };
  if ((await update(context, key, counted)).holds) return;
  const begun = await update(context, key, {
    UpdateExpression: 'SET failures = :one, expires = :expires REMOVE pause_until',
    ConditionExpression: 'attribute_not_exists(expires) OR expires <= :now',
    ExpressionAttributeValues: { ':one': N(1), ':expires': expires, ':now': N(now) },
  });
  // Another failure at the same moment has begun it.
  if (!begun.holds) await update(context, key, counted);
}

function keysOf({ user, address }: LoginSource) {
  const key = (...parts: readonly string[]): Item => ({
    pk: S(`F#${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`),
    sk: S('FAILURES'),
  });
  return { here: key('both', user, address), user: key('user', user), address: key('address', address) };
}
