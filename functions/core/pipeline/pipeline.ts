/** The name of a stage, also in the names of its queue and function and in the entry's `doc.stages`. */
export type StageName = 'check' | 'fetch' | 'upload' | 'extract' | 'start';

/** Returns the name of a stage for people: what the stage `extract` does is the build. */
export function stageWord(name: string): string {
  return name === 'extract' ? 'build' : name;
}

/** Milliseconds after which the sweeper looks at an entry whose stage was queued and not claimed. */
export const SWEEP_AFTER_MS = 60_000;

export interface Stage {
  readonly name: StageName;
  /** Timeout of one run, in seconds. The visibility timeout of the queue is a little longer. */
  readonly timeoutSeconds: number;
  /** Memory in megabytes. CPU and network grow with it, so the stages that move tarballs get more. */
  readonly memoryMb: number;
  /**
   * Receives of one message before it moves to the dead-letter queue. Far more than the attempts at a stage, which the
   * log counts: a back-off and a poll that continues return the message to the queue, and each return is a receive.
   */
  readonly maxReceives: number;
}

/** The stages of a deploy in the order in which they run: each sends to the queue of the next. */
export const stages: readonly Stage[] = [
  { name: 'check', timeoutSeconds: 60, memoryMb: 512, maxReceives: 12 },
  { name: 'fetch', timeoutSeconds: 300, memoryMb: 1024, maxReceives: 12 },
  { name: 'upload', timeoutSeconds: 300, memoryMb: 1024, maxReceives: 12 },
  { name: 'extract', timeoutSeconds: 60, memoryMb: 512, maxReceives: 80 },
  { name: 'start', timeoutSeconds: 120, memoryMb: 512, maxReceives: 12 },
];

/** What the sweep logs when a deploy or a commit status has waited for too long; an alarm of the stack counts it. */
export const LATE = { deploy: 'deploy late', status: 'commit status late' } as const;

/** Reserved at the end of the timeout for writing the outcome. */
const OUTCOME_MS = 10_000;

export function timeoutMs(name: StageName): number {
  return (stages.find((stage) => stage.name === name)?.timeoutSeconds ?? 60) * 1000;
}

export function workLimitMs(name: StageName): number {
  return timeoutMs(name) - OUTCOME_MS;
}

export function isAfter(stage: StageName, other: StageName): boolean {
  const index = (name: StageName) => stages.findIndex((one) => one.name === name);
  return index(stage) > index(other);
}
