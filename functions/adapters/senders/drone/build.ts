import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, branchOf, sha } from '../fields/git.ts';
import { factsId, readBody, text } from '../fields/read.ts';
import { delivered, hostKindAt, type LocatedRepository, repositoryAt, repositoryNamed } from '../fields/remote.ts';
import { isTimed, TIMED_STATE } from '../fields/verdict.ts';

const time = v.nullish(v.number());
// Drone's own webhook sends `after`, `target` and `slug`; the webhook plugin of Drone and Woodpecker sends `commit`,
// `branch`, `owner` and `name`.
const repo = v.object({ slug: text, owner: text, name: text, link: text, git_http_url: text });
export const endFields = v.object({ status: v.string(), event: text });
const buildFields = v.object({
  ...endFields.entries,
  number: v.number(),
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
type BuildEnd = v.InferOutput<typeof endFields>;

const pendingWords = ['pending', 'running', 'started', 'blocked', 'waiting_on_dependencies', 'created'];
const neutralWords = ['skipped'];
const passedWords = ['success', 'passing'];
/** Events whose builds test a commit; promotions and timed builds do not. */
const commitEvents = ['push', 'custom', 'manual', 'tag', 'pull_request'];

/** Returns a build of Drone. Throws `deploy:provider:not_supported`, which names the missing field. */
export function droneBuild(body: unknown): WithoutProvider<Delivery> {
  return buildOf(readBody(buildBody, body, 'a build of Drone'));
}

function buildOf({ repo: repository, build }: Body): WithoutProvider<Delivery> {
  const { owner, name, hostname } = repository;
  const reached = build.finished || build.started || build.created || null;
  return buildResult({
    hostKind: hostKindAt(hostname),
    id: factsId('build', [hostname, owner, name, build.number, build.status, reached]),
    repository,
    sha: build.after ?? build.commit ?? null,
    branch: branchBuilt(build),
    check: { usual: 'Drone', run: build.number },
    verdict: droneVerdict(build),
    message: build.message,
    author: build.author_name ?? build.author,
    url: build.link,
  });
}

function branchBuilt({ event, tag, ref, target, branch }: Build): string | null {
  if (event === 'tag' || tag || ref?.startsWith('refs/tags/')) return null;
  return branchNamed(target ?? branch ?? branchOf(ref ?? ''));
}

export function droneVerdict(build: BuildEnd): BuildVerdict {
  const state = isTimed(build.event) ? TIMED_STATE : (oneLine(build.status, 40) ?? 'no status');
  return { outcome: outcomeOf(build), state, pullRequest: build.event === 'pull_request' };
}

function outcomeOf({ event, status }: BuildEnd): CheckOutcome {
  if (!commitEvents.includes(event ?? 'push') || neutralWords.includes(status)) return 'neutral';
  if (pendingWords.includes(status)) return 'pending';
  return passedWords.includes(status) ? 'passed' : 'failed';
}

function repositoryOf({ slug, owner, name, link, git_http_url }: v.InferOutput<typeof repo>): LocatedRepository | null {
  const page = repositoryAt(link) ?? repositoryAt(git_http_url);
  return page ?? repositoryNamed(slug ?? (owner && name ? `${owner}/${name}` : null));
}
