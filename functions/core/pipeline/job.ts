import type { Entry } from '../entry/entry.ts';
import type { StageName } from './pipeline.ts';

/** A message of the pipeline: which entry to go on with. Never bytes, never secrets. */
export interface Job {
  readonly user: string;
  readonly number: number;
}

/** A job on its way to a stage, with the group that keeps a repository's deploys in order. */
export interface StageJob extends Job {
  readonly stage: StageName;
  readonly group: string;
}

/** The message that brings an entry to its stage. */
export function jobOf(entry: Entry): StageJob {
  return { user: entry.user, number: entry.number, stage: entry.stage, group: groupOf(entry) };
}

/** What is kept in order: one repository of one user, in whatever case its senders write it. */
function groupOf({ user, repository }: Entry): string {
  return repository ? `${user}/${`${repository.owner}/${repository.name}`.toLowerCase()}` : user;
}
