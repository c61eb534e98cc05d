import type { ReceivedApplication } from '../../functions/api/shapes/applications.ts';
import type { Client } from './client.ts';
import { entriesIn, entryIn } from './entry.ts';
import { fieldsOf, listIn } from './lines.ts';

export type Application = ReceivedApplication;

/** Whether an application, or its `web` process, answers requests; one that is asleep does after its start. */
export function answers({ state }: { readonly state: string }): boolean {
  return state === 'running' || state === 'asleep';
}

/** Returns all applications of the user, also as the service sent them. */
export async function allApplications(
  { user, call }: Pick<Client, 'user' | 'call'>,
  query: Readonly<Record<string, boolean>> = {},
): Promise<{ readonly apps: readonly Application[]; readonly sent: readonly unknown[] }> {
  const pageFrom = (skip?: number) => call({ path: ['apps', user], query: { ...query, skip } });
  const received: unknown[] = [];
  for (let page = await pageFrom(); ; page = await pageFrom(received.length)) {
    const apps = listIn(page, 'apps');
    received.push(...apps);
    // A service of an earlier version sends all at once, and no `total`; applications may be removed in the meantime.
    if (apps.length > 0 && received.length < (Number(fieldsOf(page).total) || 0)) continue;
    return { apps: received.flatMap((app) => applicationIn(app) ?? []), sent: received };
  }
}

/** Returns the application that a value is; null when it is none. */
export function applicationIn(value: unknown): Application | null {
  const { name, state, ...fields } = fieldsOf(value) as Partial<Application>;
  if (typeof name !== 'string' || typeof state !== 'string') return null;
  const { app = name, repository = null, branch = null, url = null } = fields;
  const entries = { active: entryIn(fields.active), rollback: entriesIn(fields.rollback) };
  const { pull_request, preview_of, environment, used } = fields;
  const { requests, memory = null } = fieldsOf(used);
  const isEnvironment = typeof environment === 'string';
  const isPreview = Number.isInteger(pull_request) && typeof preview_of === 'string';
  return {
    name,
    app,
    repository,
    branch,
    state,
    url,
    ...entries,
    ...(typeof requests === 'number' && { used: { requests, memory: typeof memory === 'number' ? memory : null } }),
    ...(isEnvironment && { environment }),
    ...(isPreview && { pull_request, preview_of }),
  };
}
