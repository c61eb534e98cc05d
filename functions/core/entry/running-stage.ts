import { type Entry, isFinal } from './entry.ts';

/** A claim on the current stage of an entry, which is kept outside its document. */
export interface StageRun {
  /** Milliseconds since 1970; null when no worker has claimed the stage. */
  readonly takenAt: number | null;
  readonly attempts: number;
}

/** Returns an entry with its running stage among its stages, if one runs. */
export function withRunningStage(entry: Entry, { takenAt, attempts }: StageRun): Entry {
  if (takenAt === null || isFinal(entry.status)) return entry;
  const earlier = entry.stages.filter((record) => record.name !== entry.stage);
  const running = { name: entry.stage, startedAt: takenAt, finishedAt: null, attempts, detail: null };
  return { ...entry, stages: [...earlier, { ...running, status: 'running' }] };
}
