import type { Entry } from '../core/entry/entry.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import { type CommitEntry, factsOf, type OnBranch } from './facts.ts';
import type { CheckPorts } from './ports.ts';
import { closePullRequest } from './preview.ts';
import { knownApp, orRefusal, RULES } from './rules.ts';
import { withWholeCommit } from './whole-commit.ts';

/**
 * Returns the work of the stage `check`: it decides whether the commit is deployed, and as which application, or ends the
 * previews of a pull request that was closed.
 */
export function check(ports: CheckPorts): StageWork {
  return async (entry) => {
    if (!isOnBranch(entry)) throw new Error('Only an entry with a commit on a branch is queued.');
    if (entry.kind === 'operation') return closePullRequest(entry, ports);
    const whole = await orRefusal(withWholeCommit(entry, ports));
    if (whole instanceof DeployError) {
      return { kind: 'failed', error: whole, transition: { changes: await knownApp(entry, ports) } };
    }
    return decideOn(whole, ports);
  };
}

async function decideOn(entry: CommitEntry, ports: CheckPorts): Promise<StageOutcome> {
  const facts = await factsOf(entry, ports);
  for (const { decide } of RULES) {
    const outcome = await decide(facts, ports);
    if (outcome) return outcome;
  }
  throw new Error('The last rule decides on every entry.');
}

function isOnBranch(entry: Entry): entry is Entry & OnBranch {
  return entry.repository !== null && entry.sha !== null && entry.branch !== null;
}
