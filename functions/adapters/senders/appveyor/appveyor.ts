import * as v from 'valibot';
import { anyHostKind, type Delivery, type Outcome, settled } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { webAddress } from '../fields/address.ts';
import { hasField } from '../fields/body.ts';
import { messageFields } from '../fields/commit-message.ts';
import { factsId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { branchNamed, sha, shaOrPrefix } from '../fields/git.ts';
import { delivered } from '../fields/located.ts';
import { readBody } from '../fields/read.ts';
import { repositoryNamed } from '../fields/remote.ts';

const text = v.nullish(v.string());
const build = v.object({
  passed: v.nullish(v.boolean()),
  status: text,
  finished: text,
  buildId: v.union([v.number(), v.string()]),
  projectName: text,
  repositoryProvider: text,
  repositoryName: v.pipe(
    v.string(),
    v.check((name) => repositoryNamed(name) !== null, 'is not owner/name'),
  ),
  branch: text,
  commitId: shaOrPrefix,
  commitAuthor: text,
  commitMessage: text,
  commitMessageExtended: text,
  isPullRequest: v.optional(v.unknown()),
  buildUrl: text,
});
type Build = v.InferOutput<typeof build>;

const needs = ['eventName', 'eventData.commitId', 'eventData.repositoryName'];
const pendingWords = ['queued', 'starting', 'running', 'cancelling'];
/** What AppVeyor calls the kinds of repository host; without an address, the kind has to do. */
const hostKinds = new Map<string, string>([
  ['github', 'github'],
  ['bitbucket', 'bitbucket'],
  ['gitlab', 'gitlab'],
  ['gitea', 'gitea'],
]);

/**
 * AppVeyor's webhook notifications with their default payload
 * (https://www.appveyor.com/docs/notifications/#webhook-payload-default). They carry only the first ten digits of the
 * commit and no address of the repository.
 */
export const appveyor: DescribedSender = {
  name: 'AppVeyor',
  knownBy: 'a body with eventName, eventData.commitId and eventData.repositoryName',
  needs,
  recognises: ({ headers, body }) => announcement(headers) === null && needs.every((path) => hasField(body, path)),
  read: ({ body }: HookCall) => [
    buildOf(readBody(v.object({ eventData: build }), body, 'a build of AppVeyor').eventData),
  ],
};

function buildOf(data: Build): Delivery {
  const { commitId } = data;
  const isWhole = v.is(sha, commitId);
  return {
    kind: 'build',
    provider: 'appveyor',
    hostKind: hostKinds.get(data.repositoryProvider?.toLowerCase() ?? '') ?? anyHostKind,
    id: factsId('build', [data.buildId, data.status ?? null, data.finished ?? null]),
    repository: delivered(repositoryNamed(data.repositoryName)),
    sha: isWhole ? commitId : null,
    shaPrefix: isWhole ? null : commitId,
    branch: branchNamed(data.branch),
    check: oneLine(data.projectName ?? '', 100) ?? 'AppVeyor',
    ...settled(outcomeOf(data)),
    state: oneLine(data.status ?? '', 40) ?? (data.passed === true ? 'Success' : 'Failed'),
    pullRequest: /^true$/i.test(String(data.isPullRequest)),
    ...messageFields([data.commitMessage, data.commitMessageExtended].filter(Boolean).join('\n\n')),
    author: oneLine(data.commitAuthor ?? '', 100),
    url: webAddress(data.buildUrl)?.href ?? null,
  };
}

/** Passed when both say so: a template of somebody's own may lack one of the two, but not contradict. */
function outcomeOf({ passed, status }: Build): Outcome {
  const word = status?.toLowerCase();
  if (word !== undefined && pendingWords.includes(word)) return 'pending';
  if (word === undefined) return passed === true ? 'passed' : 'failed';
  return word === 'success' && passed !== false ? 'passed' : 'failed';
}
