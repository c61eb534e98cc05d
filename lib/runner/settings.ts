/** Times and limits of what runs; all times in milliseconds. Tests shorten them. */
export interface RunnerLimits {
  /** Time limit for the first answer of an application. */
  readonly readinessMs: number;
  /** Answers of 500 and more are tolerated for this time (503: all of `readinessMs`). */
  readonly serverErrorMs: number;
  /** For so long an application may close its port, as one does that starts its own processes anew. */
  readonly reopenMs: number;
  /** The pause between two requests for the path `health` of an application that runs. */
  readonly healthMs: number;
  /** How long the release before is kept beside a new one, without requests, to go on when the new one ends in it. */
  readonly keepMs: number;
  /** How long the processes of an application without `web` must run before it has started. */
  readonly settleMs: number;
  /** A one-off command whose output nobody reads for so long is ended. */
  readonly unreadMs: number;
  /** Time limit for requests of the old release once traffic has moved. */
  readonly drainMs: number;
  /** An application whose `web` is `auto` sleeps after so long without a request. */
  readonly idleMs: number;
  /** How long a request waits while nothing of its application serves, and how many of one application do. */
  readonly waitMs: number;
  readonly mostWaiting: number;
  /** Open connections to the front door and the ports of all applications; a quarter to the ports of one user's. */
  readonly connections: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** First pause after a crash; it doubles up to `crashPauseMaxMs`. */
  readonly crashPauseMs: number;
  readonly crashPauseMaxMs: number;
  /** So many crashes in a row, none of which has run for `crashWindowMs`, are a loop, which one that has run so long has left. */
  readonly crashLimit: number;
  readonly crashWindowMs: number;
  /** The interval between measurements of the memory of applications that have a limit. */
  readonly memoryCheckMs: number;
  /** The interval between measurements of the memory of all applications, for the figures of the last hour. */
  readonly usageMs: number;
  /** The interval between counts of processes. */
  readonly processCheckMs: number;
  /** As `crashLimit` and `crashWindowMs`, of ends for too much memory or too many processes. */
  readonly overrunLimit: number;
  readonly overrunWindowMs: number;
  /** A run of cron that goes on for so long while others are due hangs; a runner that is replaced waits so long for one. */
  readonly hangMs: number;
  /** The time between two reports of what fails and is fine in turns. */
  readonly incidentMs: number;
  /** Bytes of an application's log file before it is rotated. */
  readonly logBytes: number;
}

const MiB = 1024 * 1024;

export const RUNNER_LIMITS: RunnerLimits = {
  readinessMs: 60_000,
  serverErrorMs: 5_000,
  reopenMs: 1_500,
  healthMs: 15_000,
  keepMs: 5_000,
  settleMs: 3_000,
  unreadMs: 10_000,
  drainMs: 10_000,
  idleMs: 10 * 60_000,
  waitMs: 30_000,
  mostWaiting: 1_000,
  connections: 10_000,
  graceMs: 5_000,
  crashPauseMs: 1_000,
  crashPauseMaxMs: 60_000,
  crashLimit: 5,
  crashWindowMs: 60_000,
  memoryCheckMs: 1_000,
  usageMs: 30_000,
  processCheckMs: 250,
  overrunLimit: 3,
  overrunWindowMs: 60 * 60_000,
  hangMs: 60 * 60_000,
  incidentMs: 10 * 60_000,
  logBytes: 5 * MiB,
};
