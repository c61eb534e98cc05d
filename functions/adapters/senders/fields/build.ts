import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { messageFields } from './commit.ts';
import { branchNamed } from './git.ts';

/** A build as its sender describes it: texts of any length, or none. */
interface SentBuild extends Pick<BuildResult, 'hostKind' | 'id' | 'repository' | 'sha' | 'branch' | 'head'> {
  readonly check: SentCheck;
  readonly verdict: BuildVerdict;
  /** The branch that a merge queue tested the commit for. */
  readonly queueOf?: string | null;
  readonly message?: string | null | undefined;
  readonly author?: string | null | undefined;
}

/** The check of a build: which one it is, and which run of it. */
interface SentCheck {
  /** Its name for people. */
  readonly name?: string | null | undefined;
  /** The name that it has without. */
  readonly usual: string;
  /** What the sender tells it apart by from another of that name. */
  readonly id?: string | number | null | undefined;
  /** A number or a time (RFC 3339 or alike) that grows from run to run. */
  readonly run?: string | number | null | undefined;
}

function checkFields({ name, usual, id, run }: SentCheck): Pick<BuildResult, 'check' | 'checkId' | 'run'> {
  const checkId = oneLine(`${id ?? ''}`, 300);
  const place = typeof run === 'string' ? Date.parse(run) : run;
  return {
    check: oneLine(name ?? '', 100) ?? usual,
    ...(checkId !== null && { checkId }),
    ...(typeof place === 'number' && Number.isFinite(place) && { run: place }),
  };
}

export function buildResult({
  check,
  verdict,
  message,
  author,
  queueOf,
  ...sent
}: SentBuild): WithoutProvider<BuildResult> {
  const target = verdict.pullRequest ? null : (queueOf ?? queuedFor(sent.branch));
  return {
    kind: 'build',
    ...sent,
    ...checkFields(check),
    ...(target === null ? verdict : queueVerdict(verdict)),
    ...(target !== null && { branch: target, mergeQueue: true }),
    ...messageFields(message),
    author: oneLine(author ?? '', 100),
  };
}

/**
 * Returns the branch that GitHub's merge queue built a commit for, on a branch of its own; null for any other branch
 * (https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue).
 */
function queuedFor(branch: string | null): string | null {
  return branchNamed(/^gh-readonly-queue\/(.+)\/pr-\d+-[\da-f]+$/.exec(branch ?? '')?.[1]);
}

/** A queue that passes has tested just the commit that it pushes; one that fails pushes nothing. */
function queueVerdict(verdict: BuildVerdict): BuildVerdict {
  return verdict.outcome === 'passed' ? verdict : { ...verdict, outcome: 'neutral' };
}
