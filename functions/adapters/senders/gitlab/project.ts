import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { addressFields, pageOf } from '../fields/address.ts';
import { repositoryId } from '../fields/git.ts';
import { repositoryNamed } from '../fields/remote.ts';

/** The fields that identify a body of GitLab without its header. */
export const gitlabFields = ['object_kind', 'project.path_with_namespace'];

const PUBLIC_LEVEL = 20;

/** A project in GitLab's events. Groups can be nested, so the owner may contain slashes. */
export const gitlabProject = v.pipe(
  v.object({
    id: repositoryId,
    path_with_namespace: v.string(),
    ...addressFields,
    visibility_level: v.nullish(v.number()),
  }),
  v.check(({ path_with_namespace: path }) => repositoryNamed(path) !== null, 'is not of a group and a valid name'),
  v.transform(({ id, path_with_namespace: path, visibility_level, ...sent }): DeliveredRepository => {
    const { owner = '', name = '' } = repositoryNamed(path) ?? {};
    // An internal project (level 10) is visible only with an account.
    const isPrivate = typeof visibility_level === 'number' && visibility_level < PUBLIC_LEVEL;
    return { ...pageOf(sent), owner, name, ...(id !== undefined && { id }), private: isPrivate };
  }),
);
