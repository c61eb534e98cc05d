import type { ErrorCode } from '../errors.ts';

/** Returns the name of a stage for people: what the stage `extract` does is the build. */
export function stageWord(name: string): string {
  return name === 'extract' ? 'build' : name;
}

/** Milliseconds after which the sweeper looks at an entry whose stage was queued and not claimed. */
export const SWEEP_AFTER_MS = 60_000;

interface StageRules {
  /** Timeout of one run, in seconds. The visibility timeout of the queue is a little longer. */
  readonly timeoutSeconds: number;
  /** Memory in megabytes. CPU and network grow with it, so the stages that move tarballs get more. */
  readonly memoryMb: number;
  /**
   * Receives of one message before it moves to the dead-letter queue. Far more than the attempts at a stage, which the
   * log counts: a back-off and a poll that continues return the message to the queue, and each return is a receive.
   */
  readonly maxReceives: number;
  /** The code of a failure without one. */
  readonly failsWith: ErrorCode;
  /** What it does, in a few words for people. */
  readonly does: string;
}

/** The stages of a deploy in the order in which they run: each sends to the queue of the next. */
const table = {
  check: {
    does: 'Read package.json, decide about CI',
    failsWith: 'deploy:repohost:no_pkg_json',
    timeoutSeconds: 60,
    memoryMb: 512,
    maxReceives: 12,
  },
  fetch: {
    does: 'Fetch the commit from its host',
    failsWith: 'deploy:repohost:download_tarball',
    timeoutSeconds: 300,
    memoryMb: 1024,
    maxReceives: 12,
  },
  upload: {
    does: 'Send it to the platform',
    failsWith: 'deploy:platform:upload_tarball',
    timeoutSeconds: 300,
    memoryMb: 1024,
    maxReceives: 12,
  },
  extract: {
    does: 'Unpack, install, build',
    failsWith: 'deploy:tar:extract_failed',
    timeoutSeconds: 60,
    memoryMb: 1024,
    maxReceives: 80,
  },
  start: {
    does: 'Start it and swap the old one',
    failsWith: 'deploy:platform:start_app',
    timeoutSeconds: 720,
    memoryMb: 512,
    maxReceives: 12,
  },
} as const satisfies Readonly<Record<string, StageRules>>;

/** The name of a stage, also in the names of its queue and function and in the entry's `doc.stages`. */
export type StageName = keyof typeof table;

export interface Stage extends StageRules {
  readonly name: StageName;
}

export const stageNames = Object.keys(table) as readonly StageName[];

export const stages: readonly Stage[] = stageNames.map((name) => ({ name, ...table[name] }));

/** What the runs of each minute log for the operator; an alarm of the stack counts them. */
export const FINDINGS = {
  deploy: 'deploy late',
  status: 'commit status late',
  application: 'application with a note',
} as const;

/** Reserved at the end of the timeout for writing the outcome. */
const OUTCOME_MS = 10_000;

/** Returns the code of a failure of a stage without one. */
export function stageCode(name: StageName): ErrorCode {
  return table[name].failsWith;
}

export function timeoutMs(name: StageName): number {
  return table[name].timeoutSeconds * 1000;
}

export function workLimitMs(name: StageName): number {
  return timeoutMs(name) - OUTCOME_MS;
}

export function stageAfter(name: StageName): StageName | null {
  return stageNames[stageNames.indexOf(name) + 1] ?? null;
}

export function isAfter(stage: StageName, other: StageName): boolean {
  return stageNames.indexOf(stage) > stageNames.indexOf(other);
}
