import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Connection, ConnectionRegistry, Side } from '../../../../core/ports/signals.ts';
import { type Item, N, numberIn, S, stringIn } from '../items.ts';
import { type ConnectionsContext, itemsIn, readItem } from '../table.ts';

/** API Gateway closes every connection after two hours; `$disconnect` can be up to ten minutes late. */
export const LIFETIME_SECONDS = 2 * 60 * 60 + 10 * 60;

/**
 * Returns the connection registry in DynamoDB. A connection has two items: its user, by the connection's id, from
 * `open` on; and, from `register` on, one among the connections of its user. The first is needed because a message
 * carries only the id. The second must not exist earlier: posting to a connection that is still opening fails as if it
 * were closed.
 */
export function dynamoDbConnections(context: ConnectionsContext): ConnectionRegistry {
  return {
    open: ({ id, side }, user) =>
      put(context, { ...owner(id), user: S(user), side: S(side), expires: expiry(context) }),
    register: (connection) => register(context, connection),
    close: (id) => close(context, id),
    list: (user) => list(context, user),
  };
}

async function register(context: ConnectionsContext, { id }: Connection): Promise<string | null> {
  const item = await readItem(context, owner(id));
  const user = stringIn(item, 'user');
  if (!item?.side || !item.expires || user === undefined) return null;
  await put(context, { ...registered(user, id), side: item.side, expires: item.expires });
  return user;
}

async function close({ client, table }: ConnectionsContext, id: string): Promise<void> {
  const { Attributes } = await client.send(
    new DeleteItemCommand({ TableName: table, Key: owner(id), ReturnValues: 'ALL_OLD' }),
  );
  const user = stringIn(Attributes, 'user');
  if (user === undefined) return;
  await client.send(new DeleteItemCommand({ TableName: table, Key: registered(user, id) }));
}

/** Strongly consistent: a connection whose registration was confirmed must get the next signal. */
async function list(context: ConnectionsContext, user: string): Promise<readonly Connection[]> {
  const items = await itemsIn(context, `U#${user}`);
  // DynamoDB removes expired items within days, not seconds.
  const live = items.filter((item) => (numberIn(item, 'expires') ?? 0) * 1000 > context.clock.now());
  return live.map(connectionOf);
}

function connectionOf(item: Item): Connection {
  const side: Side = stringIn(item, 'side') === 'internal' ? 'internal' : 'public';
  return { id: stringIn(item, 'sk') ?? '', side };
}

async function put({ client, table }: ConnectionsContext, Item: Item): Promise<void> {
  await client.send(new PutItemCommand({ TableName: table, Item }));
}

function owner(id: string): Item {
  return { pk: S(`C#${id}`), sk: S('OWNER') };
}

function registered(user: string, id: string): Item {
  return { pk: S(`U#${user}`), sk: S(id) };
}

function expiry({ clock }: ConnectionsContext) {
  return N(Math.ceil(clock.now() / 1000) + LIFETIME_SECONDS);
}
