import * as v from 'valibot';
import type { DeliveredRepository, Push } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { addressFields, pageOf } from './address.ts';
import { messageFields } from './commit.ts';
import { branchOf, ref, repositoryId, segment, sha, shaOrNone } from './git.ts';
import { readBody } from './read.ts';

const person = v.nullish(v.object({ name: v.nullish(v.string()), username: v.nullish(v.string()) }));
const commit = v.object({ message: v.nullish(v.string()), author: person });

// GitHub's services of 2012 sent `private` as 0 or 1.
const flag = v.union([
  v.boolean(),
  v.pipe(
    v.picklist([0, 1]),
    v.transform((number): boolean => number === 1),
  ),
]);

// `full_name` was added after 2012. Before, the owner was in `owner.name`; today it is also in `owner.login`.
const repositoryFields = v.object({
  id: repositoryId,
  name: segment,
  full_name: v.nullish(v.string()),
  owner: v.nullish(v.object({ login: v.nullish(v.string()), name: v.nullish(v.string()) })),
  private: v.nullish(flag),
  ...addressFields,
});

/** A repository in GitHub's events, from 2012 to today. */
export const githubRepository = v.pipe(
  repositoryFields,
  v.check((repository) => v.is(segment, ownerOf(repository)), 'has no owner with a valid name'),
  v.transform(
    (repository): DeliveredRepository => ({
      ...pageOf(repository),
      owner: ownerOf(repository),
      name: repository.name,
      ...(repository.id !== undefined && { id: repository.id }),
      private: repository.private ?? false,
    }),
  ),
);

// The list of commits is not parsed: it can be megabytes, and `after` is what is deployed.
const pushBody = v.object({
  ref,
  after: sha,
  before: v.nullish(v.fallback(v.nullable(sha), null)),
  deleted: v.nullish(v.boolean()),
  forced: v.nullish(v.boolean()),
  head_commit: v.nullish(commit),
  pusher: person,
  repository: githubRepository,
});

/**
 * Returns a push of GitHub, without its id (https://docs.github.com/webhooks/webhook-events-and-payloads#push). The
 * commit is `after`; `head_commit` differs when a tag object or an older branch is pushed. `what` names the sender in
 * errors. Throws `deploy:provider:not_supported`, which names the missing field.
 */
export function readGithubPush(body: unknown, what: string): Omit<WithoutProvider<Push>, 'id'> {
  const push = readBody(pushBody, body, what);
  const author = push.head_commit?.author?.name ?? push.head_commit?.author?.username ?? push.pusher?.name;
  return {
    kind: 'push',
    hostKind: 'github',
    repository: push.repository,
    ref: push.ref,
    branch: branchOf(push.ref),
    sha: push.deleted === true ? null : shaOrNone(push.after),
    before: shaOrNone(push.before ?? '0'),
    forced: push.forced ?? false,
    ...messageFields(push.head_commit?.message),
    author: oneLine(author ?? '', 100),
  };
}

type RepositoryFields = v.InferOutput<typeof repositoryFields>;

function ownerOf({ name, full_name, owner }: RepositoryFields): string {
  if (full_name?.endsWith(`/${name}`)) return full_name.slice(0, -name.length - 1);
  return owner?.login ?? owner?.name ?? '';
}
