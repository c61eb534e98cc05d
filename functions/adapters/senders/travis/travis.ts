import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import {
  ANY_HOST_KIND,
  type BuildResult,
  type CheckOutcome,
  type DeliveredRepository,
} from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { webAddress } from '../fields/address.ts';
import { buildResult } from '../fields/build.ts';
import { refName, segment, sha } from '../fields/git.ts';
import { readBody, text } from '../fields/read.ts';
import { hostKindAt } from '../fields/remote.ts';
import { isTimed, TIMED_STATE, verdictReader } from '../fields/verdict.ts';
import { travisConfig } from './config.ts';
import { travisSignature } from './signature.ts';

// The samples of 2012 have no `type`, `state`, `result` and `pull_request`; `status` is null while a build
// runs. `repository.url` is the homepage of the repository, or null, when that is what GitHub knows.
const endFields = v.object({
  status: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  state: text,
  status_message: text,
  result_message: text,
  finished_at: text,
  type: text,
  pull_request: v.optional(v.unknown()),
  pull_request_number: v.optional(v.unknown()),
  compare_url: text,
});
type BuildEnd = v.InferOutput<typeof endFields>;
const buildFields = v.object({
  ...endFields.entries,
  id: v.union([v.pipe(v.number(), v.safeInteger()), v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'is not an id'))]),
  commit: sha,
  head_commit: v.fallback(v.nullish(sha), null),
  branch: v.nullish(refName),
  tag: text,
  repository: v.object({ owner_name: segment, name: segment, url: text }),
  started_at: text,
  message: text,
  author_name: text,
});
const noEnd = 'has neither status nor result';
const buildBody = v.pipe(
  buildFields,
  v.check((fields) => saysEnd(fields), noEnd),
);
type Build = v.InferOutput<typeof buildBody>;

const pendingWords = ['pending', 'created', 'queued', 'received', 'booting', 'started'];
const passedWords = ['passed', 'fixed'];

/**
 * Travis CI, as its webhooks call today and as they did in 2012
 * (https://docs.travis-ci.com/user/notifications/#webhooks-delivery-format).
 */
export const travis = defineSender({
  id: 'travis',
  name: 'Travis CI',
  sends: 'builds',
  header: 'Travis-Repo-Slug',
  requiredFields: ['id', 'commit', 'repository.owner_name', 'repository.name'],
  signature: travisSignature,
  configFile: travisConfig,
  setup: ({ url }) => ({
    where: '.travis.yml of the repository',
    lines: [
      'notifications:',
      '  webhooks:',
      `    urls: ${url}`,
      '    on_success: always',
      '    on_failure: never',
    ].join('\n'),
    notes: [
      'Do not commit the secret: run `travis encrypt "<the address>" --add notifications.webhooks.urls`.',
      'Travis CI signs with its own key: see signed webhooks in the README of the senders.',
    ],
  }),
  read: ({ body }: HookCall) => [buildOf(readBody(buildBody, body, 'a build of Travis CI'))],
  verdict: verdictReader(v.pipe(endFields, v.check(saysEnd, noEnd)), verdictOf),
});

function buildOf(build: Build): WithoutProvider<BuildResult> {
  const repository = repositoryOf(build);
  const verdict = verdictOf(build);
  return buildResult({
    hostKind: hostKindOf(repository.hostname),
    repository,
    id: buildId(build),
    sha: build.commit,
    // A build of a tag has the tag's name as its branch.
    branch: build.tag ? null : (build.branch ?? null),
    check: { usual: 'Travis CI', run: build.finished_at },
    verdict,
    // The commit of a pull request's build is the merge with the base.
    ...(verdict.pullRequest && build.head_commit && { head: { sha: build.head_commit, outcome: verdict.outcome } }),
    message: build.message,
    author: build.author_name,
  });
}

/**
 * Returns a delivery id. A restarted build keeps its id and can end with the same state, so the id includes the state
 * and its time. A call that Travis CI repeats has the same ones and is a duplicate.
 */
function buildId(build: Build): string {
  const reached = (build.finished_at ?? build.started_at ?? '').slice(0, 1000);
  return [build.id, stateOf(build).toLowerCase(), reached]
    .join(':')
    .replace(/[^\w:.+-]+/g, '-')
    .slice(0, 160);
}

function saysEnd({ status, result }: BuildEnd): boolean {
  return status !== undefined || result !== undefined;
}

function verdictOf(build: BuildEnd): BuildVerdict {
  const state = isTimed(build.type) ? TIMED_STATE : stateOf(build);
  return { outcome: outcomeOf(build), state, pullRequest: isPullRequest(build) };
}

function outcomeOf(build: BuildEnd): CheckOutcome {
  if (isTimed(build.type)) return 'neutral';
  if (isPending(build)) return 'pending';
  return hasPassed(build) ? 'passed' : 'failed';
}

/** Only the number 0 is a success; the words, if present, must not contradict it. */
function hasPassed(build: BuildEnd): boolean {
  const numbers = [build.status, build.result].filter((value) => value !== undefined);
  return numbers.every((value) => value === 0) && wordsOf(build).every((word) => passedWords.includes(word));
}

function isPending(build: BuildEnd): boolean {
  const words = wordsOf(build);
  if (words.length > 0) return words.some((word) => pendingWords.includes(word));
  return build.status !== 0 && !build.finished_at;
}

function wordsOf({ state, status_message, result_message }: BuildEnd): string[] {
  return [status_message, result_message, state].flatMap((word) => (word ? [word.toLowerCase()] : []));
}

/**
 * Returns the outcome in Travis CI's words, because `Fixed` is more precise than `passed`; ours when there are none.
 */
function stateOf(build: BuildEnd): string {
  const said = oneLine(build.status_message ?? build.result_message ?? build.state ?? '', 40);
  if (said !== null) return said;
  if (isPending(build)) return 'Pending';
  return hasPassed(build) ? 'Passed' : 'Failed';
}

/** Payloads older than `type` identify a pull request only by `compare_url`. */
function isPullRequest(build: BuildEnd): boolean {
  if (build.type === 'pull_request' || build.pull_request === true || build.pull_request === 'true') return true;
  if (typeof build.pull_request_number === 'number') return true;
  return /\/pull\/\d+/.test(webAddress(build.compare_url)?.pathname ?? '');
}

function repositoryOf({ repository, compare_url }: Build): DeliveredRepository {
  const { owner_name: owner, name } = repository;
  const path = `/${owner}/${name}`;
  const compare = webAddress(compare_url);
  const home = webAddress(repository.url);
  const page = [compare, home].find((address) => isBelow(address, path)) ?? null;
  const url = page === null ? null : `${page.origin}${path}`;
  // Travis CI does not send whether the repository is private.
  return { hostname: page?.host ?? null, owner, name, url, private: false };
}

function isBelow(address: URL | null, path: string): boolean {
  return `${address?.pathname.toLowerCase()}/`.startsWith(`${path.toLowerCase()}/`);
}

/** Returns the kind of host: GitHub, unless the host name is that of Bitbucket or GitLab, supported since 2019. */
function hostKindOf(hostname: string | null): string {
  const kind = hostKindAt(hostname);
  return kind === ANY_HOST_KIND ? 'github' : kind;
}
