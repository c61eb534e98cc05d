import { HttpError } from '../http/http-error.ts';
import type { ToldApp, ToldRelease } from './calls.ts';
import { folderSeen } from './processes/app-process.ts';

/** What the runner is told of an application. Its release, port and scale change by other calls than `tell`. */
export class Told {
  #now: ToldApp;
  /** The release that was live before or, after it came back, in between. */
  #former: ToldRelease | null = null;

  constructor(app: ToldApp) {
    this.#now = app;
  }

  get now(): ToldApp {
    return this.#now;
  }

  tell(app: ToldApp): void {
    const { release, port, scale } = this.#now;
    this.#now = { ...app, release: release ?? app.release, port: port ?? app.port, scale };
  }

  change(fields: Partial<Pick<ToldApp, 'release' | 'scale' | 'port'>>): void {
    if (fields.release) this.#former = this.#now.release;
    this.#now = { ...this.#now, ...fields };
  }

  /** The release before the last one is live again. */
  goBack(): void {
    const { release } = this.#now;
    this.#now = { ...this.#now, release: this.#former };
    this.#former = release;
  }

  /** Returns the folder, as its processes have it, of the release that is live, or was before; empty for another one. */
  folderOf(snapshot: string | undefined): string {
    const release = [this.#now.release, this.#former].find((one) => one?.snapshot === snapshot);
    return release ? folderSeen(release, this.#now.isolation) : '';
  }

  /** Returns the release that is live, or was last; throws 409 when there is none. */
  release(): ToldRelease {
    if (this.#now.release !== null) return this.#now.release;
    throw new HttpError(409, 'Nothing has been started yet; start a snapshot first.');
  }
}
