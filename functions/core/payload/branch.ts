import { GIT } from '../entry/providers.ts';
import { badParameter } from '../errors.ts';
import type { BuildResult, Push } from './delivery.ts';

/** Whether a delivery asks for a deploy; `reason` is one sentence. */
type BranchDecision = { readonly deploy: true } | { readonly deploy: false; readonly reason: string };

/** Returns whether a push moved the wanted branch to a commit. Branch names are case-sensitive, as in git. */
export function deployable(push: Push, wanted: string): BranchDecision {
  if (push.branch === null) return no(`${refInWords(push.ref)}; only the branch ${wanted} is deployed.`);
  if (push.branch !== wanted) return no(otherBranch(push.branch, wanted) + (push.sha ? howToPush(push) : ''));
  if (push.sha === null) return no(`The branch ${push.branch} was deleted.`);
  if (push.skip?.deploy) return no(askedNot(push.skip.words));
  return { deploy: true };
}

export type BuildVerdict = Pick<BuildResult, 'pullRequest' | 'outcome' | 'state'>;

/** Returns why a build deploys nothing, whatever its commit and branch; null when it passed. */
export function reasonAgainst({ pullRequest, outcome, state }: BuildVerdict): string | null {
  if (pullRequest) return 'A build of a pull request is never deployed.';
  if (outcome === 'neutral') return `The build says nothing about the commit: ${state}.`;
  if (outcome === 'pending') return `The build has not finished: ${state}.`;
  return outcome === 'passed' ? null : `The build did not pass: ${state}.`;
}

/**
 * Returns whether a build has passed for a commit of the wanted branch. A build of a pull request never deploys,
 * because it tested a merge with the branch that it names. A pending or neutral build is `deploy: false` too, but does
 * not end a hold.
 */
export function buildDeployable(build: BuildResult, wanted: string): BranchDecision {
  const reason = reasonAgainst(build);
  if (build.pullRequest && reason !== null) return no(reason);
  if (build.branch === null) return no(`The build is not of a branch; only the branch ${wanted} is deployed.`);
  if (build.branch !== wanted) return no(otherBranch(build.branch, wanted) + howToDeploy(build.branch));
  if (reason !== null) return no(reason);
  if (build.mergeQueue) return no(`The merge queue has passed the commit: its push to ${wanted} is deployed.`);
  if (build.skip?.deploy) return no(askedNot(build.skip.words));
  return { deploy: true };
}

function no(reason: string): BranchDecision {
  return { deploy: false, reason };
}

export function askedNot(words: string): string {
  return `The commit's message says ${words}.`;
}

function otherBranch(branch: string, wanted: string): string {
  return `The branch is ${branch}; only the branch ${wanted} is deployed.`;
}

/** A push to the service's own host has no webhook. */
function howToPush({ branch, provider, app }: Pick<Push, 'branch' | 'provider' | 'app'>): string {
  if (provider !== GIT) return howToDeploy(branch ?? '');
  // The name of a branch may be more than a word for a shell.
  const how = /^[\w./-]+$/.test(branch ?? '')
    ? `run "hooks set ${app} branch=${branch}" before its next push`
    : 'set it as the branch of the application';
  return ` To deploy ${branch}, ${how}.`;
}

function howToDeploy(branch: string): string {
  return ` To deploy ${branch}, put ?${new URLSearchParams({ branch })} into the webhook's address, or make it the default branch: of the service, or of the repository where the service hosts it.`;
}

function refInWords(ref: string): string {
  return ref.startsWith('refs/tags/') ? `${ref.slice('refs/tags/'.length)} is a tag` : `${ref} is not a branch`;
}

// https://git-scm.com/docs/git-check-ref-format; a part of dots would lead a path of the host elsewhere.
const refused = /[\p{Cc}\s~^:?*[\\]|^[./]|\.\.|\/[./]|@\{|[./]$/u;

/** Returns the name of a branch without `refs/heads/`; null for what is none. */
export function branchIn(text: string): string | null {
  const branch = text.replace(/^refs\/heads\//, '');
  return branch !== '' && branch.length <= 250 && !refused.test(branch) ? branch : null;
}

/** Returns the branch that a parameter names. Throws `request:bad_parameter`. */
export function branchNamed(text: string, parameter: string): string {
  const branch = branchIn(text);
  if (branch !== null) return branch;
  throw badParameter(`The parameter ${parameter} is not the name of a branch.`);
}
