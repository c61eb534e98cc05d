import type { AppRef } from '../hosting-platform.ts';

/** The operations on an application besides deploying it. All throw `deploy:platform:start_app`. */
export interface AppOperations {
  /**
   * Starts the active snapshot again, with the current variables, also when the application is stopped or has crashed.
   * The old release serves until the new one answers. Returns the address.
   */
  restart(app: AppRef): Promise<{ readonly url: string }>;
  /** Ends the application until it is started again. A stopped one stays stopped. */
  stop(app: AppRef): Promise<void>;
  /** Removes the application with its snapshots, variables and files. One that does not exist is removed already. */
  remove(app: AppRef): Promise<void>;
}
