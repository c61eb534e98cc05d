import * as v from 'valibot';
import { type Api, parsed } from './api.ts';
import { EntrySchema } from './entry.ts';

const text = v.nullish(v.string(), null);

export const ApplicationSchema = v.looseObject({
  name: v.string(),
  repository: v.nullish(v.looseObject({ host: text, owner: v.string(), name: v.string() }), null),
  branch: text,
  state: v.string(),
  url: text,
  active: v.nullish(EntrySchema, null),
  rollback: v.optional(v.array(EntrySchema), []),
});

/** An application as the service sends it, with all its fields. */
export type Application = v.InferOutput<typeof ApplicationSchema>;

const PageSchema = v.looseObject({ apps: v.array(v.unknown()), total: v.optional(v.number()) });

/** Returns all applications, and the pages that the service sent as one. */
export async function allApplications({ get, service }: Api) {
  const path = ['apps', service.user];
  let page = parsed(PageSchema, await get({ path }));
  const sent = { ...page, apps: [...page.apps] };
  // A service of an earlier version sends all at once, and no `total`.
  while (page.apps.length > 0 && sent.apps.length < (sent.total ?? 0)) {
    page = parsed(PageSchema, await get({ path, query: { skip: sent.apps.length } }));
    sent.apps.push(...page.apps);
  }
  return { sent, apps: parsed(v.array(ApplicationSchema), sent.apps) };
}

/** Returns one application, and what the service sent. */
export async function oneApplication({ get, service }: Api, app: string): Promise<Application> {
  return parsed(ApplicationSchema, await get({ path: ['apps', service.user, app] }));
}
