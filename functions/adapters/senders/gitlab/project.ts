import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { webAddress } from '../fields/address.ts';
import { repositoryNamed } from '../fields/remote.ts';

/** The fields that identify a body of GitLab without its header. */
export const gitlabFields = ['object_kind', 'project.path_with_namespace'];

const PUBLIC_LEVEL = 20;

/** A project in GitLab's events. Groups can be nested, so the owner may contain slashes. */
export const gitlabProject = v.pipe(
  v.object({
    path_with_namespace: v.string(),
    web_url: v.nullish(v.string()),
    visibility_level: v.nullish(v.number()),
  }),
  v.check(({ path_with_namespace: path }) => repositoryNamed(path) !== null, 'is not of a group and a valid name'),
  v.transform(({ path_with_namespace: path, web_url, visibility_level }): DeliveredRepository => {
    const page = webAddress(web_url);
    const { owner = '', name = '' } = repositoryNamed(path) ?? {};
    // An internal project (level 10) is visible only with an account.
    const isPrivate = typeof visibility_level === 'number' && visibility_level < PUBLIC_LEVEL;
    return { hostname: page?.host ?? null, owner, name, url: page?.href ?? null, private: isPrivate };
  }),
);
