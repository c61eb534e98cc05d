/** A stage of a deploy, in the word that queues, functions, stage markers and the entry's `doc.stages` share. */
export type StageName = 'check' | 'fetch' | 'upload' | 'extract' | 'start';

/** Milliseconds after which the sweeper looks at an entry whose stage was queued and not claimed. */
export const SWEEP_AFTER_MS = 60_000;

/** What the stack must know of a stage to give it a queue and a function. */
export interface Stage {
  readonly name: StageName;
  /** Seconds one run may take; the queue hides a message for six times as long. */
  readonly timeoutSeconds: number;
  /** Megabytes of memory. Processor and network share grow with it, so what moves tarballs gets more. */
  readonly memoryMb: number;
  /**
   * Receives of one message before it moves to the dead-letter queue. Far above the tries of a stage, which are counted
   * in the log: backing off and polling in slices put the message back, and each return is one more receive.
   */
  readonly maxReceives: number;
  /**
   * Age of a queue's oldest message, in seconds, from which on something is wrong. Above what the stage may rightly take:
   * a platform has 20 minutes to install an application, and the message waits for it.
   */
  readonly overdueSeconds: number;
}

/** The stages of a deploy in the order in which they run: each sends to the queue of the next. */
export const stages: readonly Stage[] = [
  { name: 'check', timeoutSeconds: 60, memoryMb: 512, maxReceives: 12, overdueSeconds: 600 },
  { name: 'fetch', timeoutSeconds: 300, memoryMb: 1024, maxReceives: 12, overdueSeconds: 600 },
  { name: 'upload', timeoutSeconds: 300, memoryMb: 1024, maxReceives: 12, overdueSeconds: 600 },
  { name: 'extract', timeoutSeconds: 90, memoryMb: 512, maxReceives: 40, overdueSeconds: 1800 },
  { name: 'start', timeoutSeconds: 120, memoryMb: 512, maxReceives: 12, overdueSeconds: 600 },
];

/** Whether a stage runs after another one. */
export function isAfter(stage: StageName, other: StageName): boolean {
  const index = (name: StageName) => stages.findIndex((one) => one.name === name);
  return index(stage) > index(other);
}
