import * as v from 'valibot';
import { type Delivery, type Outcome, settled } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { webAddress } from '../fields/address.ts';
import { hasField } from '../fields/body.ts';
import { messageFields } from '../fields/commit-message.ts';
import { factsId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { branchNamed, branchOf, sha } from '../fields/git.ts';
import { delivered } from '../fields/located.ts';
import { readBody } from '../fields/read.ts';
import { hostKindAt, type LocatedRepository, repositoryAt, repositoryNamed } from '../fields/remote.ts';

const text = v.nullish(v.string());
const time = v.nullish(v.number());
// Drone's own webhook says `after`, `target` and `slug`; the webhook plugin of Drone and Woodpecker `commit`, `branch`,
// `owner` and `name`.
const repo = v.object({ slug: text, owner: text, name: text, link: text, git_http_url: text });
const buildFields = v.object({
  number: v.number(),
  status: v.string(),
  event: text,
  after: v.nullish(sha),
  commit: v.nullish(sha),
  ref: text,
  target: text,
  branch: text,
  tag: text,
  message: text,
  author_name: text,
  author: text,
  link: text,
  finished: time,
  started: time,
  created: time,
});
const buildBody = v.object({
  repo: v.pipe(
    repo,
    v.check((fields) => repositoryOf(fields) !== null, 'has no valid owner and name'),
    v.transform((fields) => delivered(repositoryOf(fields))),
  ),
  build: v.pipe(
    buildFields,
    v.check(({ after, commit }) => Boolean(after ?? commit), 'names no commit'),
  ),
});
type Body = v.InferOutput<typeof buildBody>;
type Build = Body['build'];

const needs = ['repo.name', 'build.number', 'build.status', 'build.event'];
const pendingWords = ['pending', 'running', 'started', 'blocked', 'waiting_on_dependencies', 'created'];
const neutralWords = ['skipped'];
const passedWords = ['success', 'passing'];
/** Builds that run what the branch's configuration says for a commit; promotions and scheduled ones do not. */
const aboutTheCommit = ['push', 'custom', 'manual', 'tag', 'pull_request'];

/**
 * Drone's system webhooks (https://docs.drone.io/webhooks/overview/) and the webhook plugin, which is a step of a Drone
 * or Woodpecker pipeline (https://plugins.drone.io/plugins/webhook).
 */
export const drone: DescribedSender = {
  name: 'Drone',
  knownBy: 'the header X-Drone-Event, or a body with repo.name, build.number, build.status and build.event',
  needs,
  recognises: ({ headers, body }) => {
    const announced = announcement(headers);
    return announced === null ? needs.every((path) => hasField(body, path)) : announced.by === 'Drone';
  },
  read: (call) => [read(call)],
};

function read({ headers, body }: HookCall): Delivery {
  const event = oneLine(headers['x-drone-event'] ?? 'build', 60) ?? 'without a name';
  if (event === 'build') return buildOf(readBody(buildBody, body, 'a build of Drone'));
  const reason = `The event ${event} of Drone deploys nothing; the service waits for builds.`;
  return { kind: 'notice', provider: 'drone', id: null, repository: null, reason };
}

function buildOf({ repo: repository, build }: Body): Delivery {
  const { owner, name, hostname } = repository;
  const reached = build.finished || build.started || build.created || null;
  return {
    kind: 'build',
    provider: 'drone',
    hostKind: hostKindAt(hostname),
    id: factsId('build', [hostname, owner, name, build.number, build.status, reached]),
    repository,
    sha: build.after ?? build.commit ?? null,
    shaPrefix: null,
    branch: branchBuilt(build),
    check: 'Drone',
    ...settled(outcomeOf(build)),
    state: oneLine(build.status, 40) ?? 'no status',
    pullRequest: build.event === 'pull_request',
    ...messageFields(build.message),
    author: oneLine(build.author_name ?? build.author ?? '', 100),
    url: webAddress(build.link)?.href ?? null,
  };
}

function branchBuilt({ event, tag, ref, target, branch }: Build): string | null {
  if (event === 'tag' || tag || ref?.startsWith('refs/tags/')) return null;
  return branchNamed(target ?? branch ?? branchOf(ref ?? ''));
}

function outcomeOf({ event, status }: Build): Outcome {
  if (!aboutTheCommit.includes(event ?? 'push') || neutralWords.includes(status)) return 'neutral';
  if (pendingWords.includes(status)) return 'pending';
  return passedWords.includes(status) ? 'passed' : 'failed';
}

function repositoryOf({ slug, owner, name, link, git_http_url }: v.InferOutput<typeof repo>): LocatedRepository | null {
  const page = repositoryAt(link) ?? repositoryAt(git_http_url);
  return page ?? repositoryNamed(slug ?? (owner && name ? `${owner}/${name}` : null));
}
