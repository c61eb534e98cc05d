import type { SentProcesses } from '../../../functions/api/shapes/processes.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import type { AppName } from '../store/names.ts';
import type { AppLog } from './app-log.ts';
import type { AppProxy } from './proxy.ts';
import type { ReleaseParts } from './release.ts';
import type { RunState } from './run-state.ts';
import type { WakeTurns } from './sleep.ts';

/** Runs one application: at most one release serves, and a new one takes over only when it answers. */
export interface Runner {
  readonly proxy: AppProxy;
  readonly log: AppLog;
  state(): RunState;
  /**
   * Starts the snapshot and moves the traffic to it, unless it serves already. When that fails, throws an HttpError and
   * keeps the old one.
   */
  start(snapshot: string): Promise<void>;
  /** Starts the active snapshot again, with the current variables, and moves the traffic to it. */
  restart(): Promise<void>;
  /** Ends the application; a start in progress is cancelled. */
  stop(): Promise<void>;
  /**
   * Starts the active snapshot, with retries as after a crash, once it is there: for applications that ran when the
   * platform ended. One that is started or stopped meanwhile stays so.
   */
  resume(built: Promise<void>): Promise<void>;
  /** Returns what runs, and what is to run. */
  processes(): Promise<SentProcesses>;
  /** Changes how many processes run of some types, also for later releases. Throws 400 for what cannot be. */
  scale(change: Readonly<Record<string, unknown>>): Promise<void>;
  /** Ends the processes. The application is started again when the platform is. */
  close(): Promise<void>;
}

export interface RunnerParts extends ReleaseParts {
  /** The domain of the applications besides `localhost`. */
  readonly domain: string | undefined;
  /** Room on a full disk, so that an application can be stopped. */
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly wakeTurns: WakeTurns;
  /** Called when a release serves. */
  readonly onServing: (app: AppName, snapshot: string) => Promise<void>;
  /** Called when the release before it has ended. */
  readonly onRetired: (app: AppName, snapshot: string) => Promise<void>;
}
