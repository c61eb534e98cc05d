import { allApplications } from './applications.ts';
import type { Client } from './client.ts';
import { fieldsOf } from './lines.ts';

/** Names which variables previews get. Environments have none. */
const OF_PREVIEWS = 'PREVIEW_VARIABLES';

/** Gives an application the variables of another one that it does not have itself. Returns their names. */
export async function copyVariables(
  client: Pick<Client, 'user' | 'call'>,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const { user, call } = client;
  const path = (name: string) => ['apps', user, name, 'env'];
  const variables = fieldsOf(fieldsOf(await call({ path: path(from), query: { values: true } })).env);
  const isKnown = (await allApplications(client)).apps.some(({ name, app }) => name === to || app === to);
  const own = isKnown ? fieldsOf(fieldsOf(await call({ path: path(to) })).env) : {};
  const body = Object.fromEntries(
    Object.entries(variables).filter(([name]) => name !== OF_PREVIEWS && !Object.hasOwn(own, name)),
  );
  if (Object.keys(body).length > 0) await call({ method: 'PATCH', path: path(to), query: { restart: false }, body });
  return Object.keys(body);
}
