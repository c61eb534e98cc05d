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

/** Returns one application, and what the service sent. */
export async function oneApplication({ get, service }: Api, app: string): Promise<Application> {
  return parsed(ApplicationSchema, await get({ path: ['apps', service.user, app] }));
}
