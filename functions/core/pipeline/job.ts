import type { Entry } from '../entry/entry.ts';
import { appOf } from '../entry/snapshot.ts';
import type { StageName } from './pipeline.ts';

/** A message of the pipeline: which entry to continue with. Never bytes, never secrets. */
export interface Job {
  readonly user: string;
  readonly number: number;
}

/** A job on its way to a stage, with the message group that keeps deploys in order. */
export interface StageJob extends Job {
  readonly stage: StageName;
  readonly group: string;
}

/** Seconds before a run that threw is repeated: the log could not be written. */
export const FAILED_JOB_PAUSES = { first: 5, most: 60 };

/** Returns a name of the entry of a job, among those of all users. */
export function keyOf({ user, number }: Job): string {
  return `${number} ${user}`;
}

/** Returns the message that brings an entry to its current stage. */
export function jobOf(entry: Entry): StageJob {
  return { user: entry.user, number: entry.number, stage: entry.stage, group: groupOf(entry) };
}

/**
 * Deploys wait for each other only where their order matters: `check` decides which commit of a repository is the newest
 * one, and `start` which deploy an application runs. In between, the message of a build that takes long, or of a deploy
 * that has ended, is in nobody's way. Senders write the name of a repository in different cases.
 */
function groupOf(entry: Entry): string {
  const { user, number, repository, stage } = entry;
  if (stage === 'start') return `${user}/${appOf(entry).app}`;
  if (stage !== 'check') return `${user}/entry/${number}`;
  return repository ? `${user}/${`${repository.owner}/${repository.name}`.toLowerCase()}` : user;
}
