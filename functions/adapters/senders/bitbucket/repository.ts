import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { addressFields, pageOf } from '../fields/address.ts';
import { repositoryId, segment } from '../fields/git.ts';
import { repositoryNamed } from '../fields/remote.ts';
import { hmacHeader } from '../signatures/scheme.ts';

/** Bitbucket Cloud (https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks). */
export const bitbucketSignature = hmacHeader('sha256=', 'x-hub-signature');

const link = v.nullish(v.object({ href: v.nullish(v.string()) }));

/**
 * A repository in Bitbucket's events. `full_name` is workspace and slug; `name` is a display name that may contain
 * spaces.
 */
export const bitbucketRepository = v.pipe(
  v.object({
    full_name: v.string(),
    uuid: repositoryId,
    is_private: v.nullish(v.boolean()),
    links: v.nullish(v.object({ html: link, self: link })),
    ...addressFields,
  }),
  v.check(({ full_name }) => isOwned(full_name), 'is not of a workspace and a valid name'),
  v.transform(({ full_name, uuid: id, is_private, links, ...sent }): DeliveredRepository => {
    const page = pageOf({ ...sent, html_url: links?.html?.href ?? sent.html_url, https_url: links?.self?.href });
    const { owner = '', name = '' } = repositoryNamed(full_name) ?? {};
    return { ...page, owner, name, ...(id !== undefined && { id }), private: is_private ?? false };
  }),
);

/** Workspaces do not nest. */
function isOwned(fullName: string): boolean {
  const named = repositoryNamed(fullName);
  return named !== null && v.is(segment, named.owner);
}
