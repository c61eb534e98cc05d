import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, sha } from '../fields/git.ts';
import { factsId, hasField, readBody, text } from '../fields/read.ts';
import { hostKindAt, remoteRepository } from '../fields/remote.ts';
import { verdictReader } from '../fields/verdict.ts';

const stepBody = v.object({ name: text, build: v.object({ phase: v.string(), number: v.number() }) });
const endFields = v.object({
  status: v.string(),
  scm: v.fallback(v.object({ branch: text }), {}),
  parameters: v.fallback(v.nullish(v.record(v.string(), v.unknown())), null),
});
const buildBody = v.object({
  name: text,
  display_name: text,
  url: text,
  build: v.object({
    ...endFields.entries,
    phase: v.string(),
    number: v.number(),
    full_url: text,
    url: text,
    scm: v.object({ url: remoteRepository, branch: text, commit: sha }),
  }),
});
type Body = v.InferOutput<typeof buildBody>;
type BuildEnd = v.InferOutput<typeof endFields>;

const finishedPhases = ['COMPLETED', 'FINALIZED'];
const outcomes = new Map<string, CheckOutcome>([
  ['SUCCESS', 'passed'],
  ['NOT_BUILT', 'neutral'],
]);

/**
 * Jenkins with its notification plugin (https://plugins.jenkins.io/notification/). By default a build is sent when it
 * is COMPLETED and again when it is FINALIZED: both have the same id, so the second is a duplicate delivery.
 */
export const jenkins = defineSender({
  id: 'jenkins',
  name: 'Jenkins',
  sends: 'builds',
  requiredFields: ['build.phase', 'build.number', 'name'],
  tested: { with: 'fixtures', how: ['read'] },
  setup: ({ url }) => ({
    where: 'Job → Configure → Job Notifications (Notification plugin) → Add Endpoint',
    settings: [
      ['Format', 'JSON'],
      ['Protocol', 'HTTP'],
      ['Event', 'Job Finalized'],
      ['URL', url],
    ],
    notes: ['Jenkins sends the login unescaped: choose a secret without characters that must be escaped in a URL.'],
  }),
  read: ({ body }: HookCall) => [read(body)],
  verdict: verdictReader(v.object({ build: endFields }), ({ build }) => verdictOf(build)),
});

function read(body: unknown): WithoutProvider<Delivery> {
  const what = 'a build of Jenkins';
  const { phase } = readBody(stepBody, body, what).build;
  if (finishedPhases.includes(phase)) return buildOf(readBody(buildBody, body, what));
  const reason = `The build of Jenkins has not completed: ${oneLine(phase, 40) ?? 'no phase'}.`;
  return { kind: 'notice', id: null, repository: null, reason };
}

function buildOf(job: Body): WithoutProvider<Delivery> {
  const { build } = job;
  return buildResult({
    hostKind: hostKindAt(build.scm.url.hostname),
    id: factsId('build', [build.full_url ?? build.url ?? job.url ?? job.name ?? null, build.number]),
    repository: build.scm.url,
    sha: build.scm.commit,
    branch: branchOf(build),
    check: checkOf(job),
    verdict: verdictOf(build),
    url: build.full_url,
  });
}

/**
 * The jobs of a multibranch project are named after the branch, so that two projects have a job of one name each: the
 * address of a job (`job/tests/job/main/`) tells them apart.
 */
function checkOf({ name, display_name, url, build }: Body) {
  const job = url ?? build.full_url?.replace(/(?<!\d)\d+\/?$/, '');
  const path = job?.match(/(?<=(?:^|\/)job\/)[^/]+/g)?.join('/');
  return { name: path ?? display_name ?? name, usual: 'Jenkins', id: job ?? name, run: build.number };
}

function verdictOf(build: BuildEnd): BuildVerdict {
  const state = oneLine(build.status, 40) ?? 'no status';
  return { outcome: outcomes.get(build.status) ?? 'failed', state, pullRequest: isPullRequest(build) };
}

/**
 * Returns the branch, which the git plugin writes as `origin/master`, `refs/remotes/origin/master`,
 * `refs/heads/master`, `master`.
 */
function branchOf({ scm }: BuildEnd): string | null {
  const name = scm.branch?.replace(/^refs\/(?:heads|remotes)\//, '').replace(/^origin\//, '');
  return name === 'detached' || name?.startsWith('refs/') ? null : branchNamed(name);
}

/** Multibranch jobs name the branch of a change `PR-7` or `MR-7`; pull request builders set parameters. */
function isPullRequest({ scm, parameters }: BuildEnd): boolean {
  if (/^(?:PR|MR)-\d+|(?:^|\/)(?:pull|pull-requests|merge-requests|pr)\/\d+(?:\/|$)/.test(scm.branch ?? ''))
    return true;
  return ['ghprbPullId', 'CHANGE_ID', 'gitlabMergeRequestIid'].some((name) => hasField(parameters, name));
}
