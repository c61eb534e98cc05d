import type { Entry } from '../entry/entry.ts';
import type { StageName } from './pipeline.ts';

/** A message of the pipeline: which entry to continue with. Never bytes, never secrets. */
export interface Job {
  readonly user: string;
  readonly number: number;
}

/** A job on its way to a stage, with the message group that keeps a repository's deploys in order. */
export interface StageJob extends Job {
  readonly stage: StageName;
  readonly group: string;
}

/** Returns the message that brings an entry to its current stage. */
export function jobOf(entry: Entry): StageJob {
  return { user: entry.user, number: entry.number, stage: entry.stage, group: groupOf(entry) };
}

/** Deploys of one repository of a user are kept in order; senders write its name in different cases. */
function groupOf({ user, repository }: Entry): string {
  return repository ? `${user}/${`${repository.owner}/${repository.name}`.toLowerCase()}` : user;
}
