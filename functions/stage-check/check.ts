import { isFinal } from '../core/entry/entry.ts';
import { ciChoice } from '../core/entry/kinds.ts';
import { MANUAL } from '../core/entry/providers.ts';
import { isOnBranch, sourceOf } from '../core/entry/track.ts';
import { DeployError, unlessRefused } from '../core/errors.ts';
import { askedNot } from '../core/payload/branch.ts';
import { isCommitId } from '../core/payload/delivery.ts';
import { skips } from '../core/payload/skip-words.ts';
import { SWEEP_AFTER_MS, timeoutMs } from '../core/pipeline/pipeline.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import { withHostCause } from '../core/pipeline/unknown-commit.ts';
import type { BranchTip } from '../core/ports/repository-host.ts';
import { type CommitEntry, ended } from './facts.ts';
import { withFormerName } from './former-name.ts';
import { factsOf } from './gather.ts';
import type { CheckPorts } from './ports.ts';
import { closePullRequest } from './preview.ts';
import { knownApp, orRefusal, RULES } from './rules.ts';
import { whileFresh } from './tip.ts';

/**
 * Returns the work of the stage `check`: it decides whether the commit is deployed, and as which application, or ends the
 * previews of a pull request that was closed.
 */
export function check(ports: CheckPorts): StageWork {
  return async (entry) => {
    if (!isOnBranch(entry)) throw new Error('Only an entry with a commit on a branch is queued.');
    if (entry.kind === 'operation') return closePullRequest(entry, ports);
    const outcome = await orRefusal(decideOn(entry, ports));
    if (!(outcome instanceof DeployError))
      return outcome.kind === 'failed'
        ? { ...outcome, error: await withHostCause(entry, outcome.error, ports) }
        : outcome;
    ports.trace('stage failed', { stage: 'check', user: entry.user, number: entry.number, error: outcome });
    const error = await withHostCause(entry, outcome, ports);
    return { kind: 'failed', error, transition: { changes: await knownApp(entry, ports) } };
  };
}

/**
 * Returns an entry with the whole id of its commit, of which Bitbucket sends 12 digits for a pull request. The log has
 * it from then on, so that what is known of the commit is found by it, and the host is asked once. Throws as
 * `RepositoryHost.wholeCommit` does.
 */
async function withWholeCommit(entry: CommitEntry, { host, token, log, clock }: CheckPorts): Promise<CommitEntry> {
  const { user, number } = entry;
  if (isCommitId(entry.sha)) return entry;
  const source = sourceOf(entry);
  const sha = await host(source.host).wholeCommit(source, source.sha, await token(user, source.host));
  const now = clock.now();
  const dueAt = now + timeoutMs('check') + SWEEP_AFTER_MS;
  await log.move(user, number, (current) =>
    isFinal(current.status) ? null : { changes: { sha, updatedAt: now }, keepsLease: true, dueAt },
  );
  return { ...entry, sha };
}

/**
 * Returns a push with the choice of its commit's message, where its call has none: that of GitLab about a branch that was
 * moved back lists no commits, and its CI does not test again what asks for that. An outcome, when the message asks for
 * no deploy, or the host may not have the push yet. Throws as `RepositoryHost.tip` does, if that can succeed later.
 */
async function withMessage(
  entry: CommitEntry,
  { host, token, clock }: CheckPorts,
): Promise<CommitEntry | StageOutcome> {
  const { user, repository, branch, sha } = entry;
  if (entry.kind !== 'push' || entry.message !== null || entry.provider === MANUAL) return entry;
  const asked = host(repository.host).tip(repository, branch, await token(user, repository.host));
  const tip = await unlessRefused<BranchTip | null | undefined>(asked, undefined);
  if (tip === undefined) return entry;
  if (tip?.sha !== sha) return whileFresh(entry, clock.now()) ?? entry;
  const skip = skips(tip.message ?? '');
  return skip?.deploy ? ended('skipped', askedNot(skip.words)) : { ...entry, ci: ciChoice(entry.ci, skip) };
}

async function decideOn(given: CommitEntry, givenPorts: CheckPorts): Promise<StageOutcome> {
  const told = await withMessage(await withWholeCommit(given, givenPorts), givenPorts);
  if (!('number' in told)) return told;
  const { entry, ports } = await withFormerName(told, givenPorts);
  const facts = await factsOf(entry, ports);
  for (const { decide } of RULES) {
    const outcome = await decide(facts, ports);
    if (outcome) return outcome;
  }
  throw new Error('The last rule decides on every entry.');
}
