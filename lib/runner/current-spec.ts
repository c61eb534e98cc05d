import { HttpError } from '../http/http-error.ts';
import type { AppSpec, ReleaseSpec } from './calls.ts';
import { folderSeen } from './processes/app-process.ts';

/** The description of an application. Its release, port and scale change by other calls than `describe`. */
export class CurrentSpec {
  #now: AppSpec;
  /** The release that was live before or, after it came back, in between. */
  #former: ReleaseSpec | null = null;

  constructor(app: AppSpec) {
    this.#now = app;
  }

  get now(): AppSpec {
    return this.#now;
  }

  /** A description that was made before the one that is known changes nothing. */
  describe(app: AppSpec): void {
    const { release, port, scale, version } = this.#now;
    if (app.version.service === version.service && app.version.number < version.number) return;
    this.#now = { ...app, release: release ?? app.release, port: port ?? app.port, scale };
  }

  change(fields: Partial<Pick<AppSpec, 'release' | 'scale' | 'port'>>): void {
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
  release(): ReleaseSpec {
    if (this.#now.release !== null) return this.#now.release;
    throw new HttpError(409, 'Nothing has been started yet; start a snapshot first.');
  }
}
