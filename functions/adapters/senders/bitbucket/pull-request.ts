import * as v from 'valibot';
import type { DeliveredRepository, PullRequest } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { refName, shaOrPrefix } from '../fields/git.ts';
import { pullRequestNumber } from '../fields/pull-request.ts';
import { readBody, text } from '../fields/read.ts';
import { bitbucketRepository } from './repository.ts';

const body = v.object({
  pullrequest: v.object({
    id: pullRequestNumber,
    title: text,
    draft: v.nullish(v.boolean()),
    author: v.nullish(v.object({ display_name: text })),
    source: v.object({
      branch: v.object({ name: refName }),
      // The hash has 12 digits. Null when Bitbucket does not find the commit any more.
      commit: v.nullable(v.object({ hash: shaOrPrefix })),
      // Null when the fork was deleted.
      repository: v.nullish(bitbucketRepository),
    }),
  }),
  repository: bitbucketRepository,
});

const UPDATED = 'pullrequest:updated';
const ENDS = ['pullrequest:fulfilled', 'pullrequest:rejected'];

/** The events that previews need. All others, such as an approval, change no commit. */
const pullRequestEvents = ['pullrequest:created', UPDATED, ...ENDS];

/**
 * Returns a pull request of Bitbucket, without its id; null for a call that neither changes its commit nor closes it.
 * Throws `deploy:provider:not_supported`, which names the missing field.
 *
 * https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events
 */
export function readPullRequest(sent: unknown, event: string): Omit<WithoutProvider<PullRequest>, 'id'> | null {
  if (!pullRequestEvents.includes(event)) return null;
  const { pullrequest: pull, repository } = readBody(body, sent, 'a pull request of Bitbucket');
  const { branch, commit, repository: from } = pull.source;
  if (commit === null) return null;
  const source = from ? pathOf(from) : null;
  const fromFork = source?.toLowerCase() !== pathOf(repository).toLowerCase();
  return {
    kind: 'pull',
    hostKind: 'bitbucket',
    repository,
    number: pull.id,
    closed: ENDS.includes(event),
    draft: pull.draft ?? false,
    fromFork,
    ...(fromFork && source !== null && { source }),
    branch: branch.name,
    sha: commit.hash,
    // Bitbucket does not send this.
    before: null,
    title: oneLine(pull.title ?? '', 200),
    author: oneLine(pull.author?.display_name ?? '', 100),
    ...(event === UPDATED && { mayRepeat: true }),
  };
}

function pathOf({ owner, name }: DeliveredRepository): string {
  return `${owner}/${name}`;
}
