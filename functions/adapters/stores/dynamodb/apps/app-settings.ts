import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { AppSettings } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { updateOf } from '../../../aws/attributes.ts';
import { keys, S } from '../items.ts';
import { readItem, type Table, transact, update } from '../table.ts';

/** Before the name of a setting in the name of its attribute. */
const PREFIX = 'set_';

/** Returns the settings of applications, an item each: the functions that write the log cannot delete items, but empty them. */
export function dynamoDbAppSettings(context: Table): AppSettings {
  const { client, table: TableName } = context;
  const stored = async ({ user, app }: AppRef) => {
    const item = (await readItem(context, keys.appSettings(user, app))) ?? {};
    return Object.entries(item).filter(([attribute]) => attribute.startsWith(PREFIX));
  };
  const empty = ({ user, app }: AppRef) => ({ TableName, Item: keys.appSettings(user, app) });
  return {
    read: async (app) =>
      Object.fromEntries(
        (await stored(app)).map(([attribute, { S: json = '' }]) => [attribute.slice(PREFIX.length), JSON.parse(json)]),
      ),
    change: async ({ user, app }, changes) => {
      const attributes = Object.entries(changes).map(
        ([name, value]) => [`${PREFIX}${name}`, value === null ? null : S(JSON.stringify(value))] as const,
      );
      await update(context, keys.appSettings(user, app), updateOf(Object.fromEntries(attributes)));
    },
    move: async ({ user, app }, to) => {
      const settings = await stored({ user, app });
      if (settings.length === 0 || app === to) return;
      const moved = { TableName, Item: { ...keys.appSettings(user, to), ...Object.fromEntries(settings) } };
      const refused = await transact(client, [{ Put: moved }, { Put: empty({ user, app }) }]);
      if (refused) throw new Error(`The settings of ${app} were changed by others.`);
    },
    remove: async (app) => {
      await client.send(new PutItemCommand(empty(app)));
    },
  };
}
