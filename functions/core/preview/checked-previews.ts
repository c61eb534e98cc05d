import { appendRequest, blankDraft } from '../entry/draft.ts';
import type { Entry } from '../entry/entry.ts';
import type { Preview } from '../entry/kinds.ts';
import { EVERY_TRACK, trackOf } from '../entry/track.ts';
import { ciVerdictOf } from '../hold/checks.ts';
import { type HoldPorts, settleHeld } from '../hold/hold.ts';
import type { CommitRef } from '../payload/delivery.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { CommitFacts } from '../ports/facts.ts';
import type { CommitResult, DeployLog } from '../ports/log.ts';

interface PreviewPorts extends HoldPorts {
  readonly log: Pick<DeployLog, 'append' | 'move' | 'read'>;
  readonly facts: Pick<CommitFacts, 'branch' | 'commitState' | 'holds'>;
}

/**
 * Applies a check result to the previews that wait for CI on its commit: a failed check ends them, and a passed one
 * releases them when no other check is missing. One that has ended without CI is deployed by a new entry when a
 * build passes after all, as the commit of a branch is. `build` is the entry of the result.
 */
export async function notifyPreviews(build: Entry, { sha, outcome }: CommitResult, ports: PreviewPorts): Promise<void> {
  const { user, repository } = build;
  if (!repository || outcome === 'pending') return;
  const holds = await ports.facts.holds(user, repository, sha);
  for (const { held } of holds) await notifyPreview(held, { ...repository, sha }, build, ports);
}

/** Another result, or the end of the hold, may be faster than the release: then it is decided again. */
const TRIES = 5;

async function notifyPreview(number: number, commit: CommitRef, build: Entry, ports: PreviewPorts): Promise<void> {
  const { user } = build;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const entry = await ports.log.read(user, number);
    if (entry?.kind !== 'preview' || !entry.ci?.waits) return;
    const state = await ports.facts.commitState(user, commit, EVERY_TRACK);
    if (entry.status !== 'held') {
      if (ciVerdictOf(state.checks).says === 'passed') await deployAfterAll(entry, build, ports);
      return;
    }
    if ((await settleHeld(entry, state, ports)) !== 'outdated') return;
  }
}

/** Only the newest commit of a pull request that is open, and only once. */
async function deployAfterAll(
  ended: Entry & Preview,
  { uuid, base, provider }: Entry,
  ports: PreviewPorts,
): Promise<void> {
  const { user, number, status, repository, branch, pullRequest } = ended;
  if (!repository || !branch || (status !== 'skipped' && status !== 'expired')) return;
  const { newest } = await ports.facts.branch(user, repository, trackOf({ ...ended, branch }));
  if (newest !== number) return;
  const { sha, before, forced, message, author, path, ci } = ended;
  const draft = blankDraft({
    user,
    uuid,
    base,
    provider,
    stage: 'check',
    receivedAt: ports.clock.now(),
    repository,
    sha,
    branch,
    before,
    forced,
    message,
    author,
    path,
    kind: 'preview',
    pullRequest,
    ci,
  });
  const once = { isNewestPush: true, deliveryKey: ['passed', number].join('#') };
  const result = await ports.log.append(appendRequest(draft, { passed: sha, after: number }, once));
  if ('entry' in result) await queueStage(result.entry, ports);
}
