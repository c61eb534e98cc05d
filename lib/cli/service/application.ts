import * as client from '../../client/applications.ts';
import { printableValue } from '../../terminal/printable.ts';
import { type Api, known } from './api.ts';

/** Returns all applications, also as the service sent them. */
export async function allApplications(api: Api, query: Readonly<Record<string, boolean>> = {}) {
  const { apps, sent } = await client.allApplications(api, query);
  return { apps: printableValue(apps), sent };
}

export async function oneApplication(api: Api, app: string): Promise<client.Application> {
  return known(client.applicationIn(await api.call({ path: ['apps', api.user, app] })));
}
