import { keyedMutex } from '../../processes/keyed-mutex.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { PlatformEvent } from '../settings.ts';
import type { AppName } from '../store/names.ts';
import { type AppLog, appLog } from './app-log.ts';
import { type Crashes, crashes } from './crashes.ts';
import { howItEnded } from './diagnosis.ts';
import type { Running } from './launch.ts';
import { type Front, front } from './proxy.ts';
import { launchRelease, type ReleaseParts } from './release.ts';

/** What an application is doing; `restarting` is the pause after a crash, `crashed` the end of such pauses. */
export type RunState = 'stopped' | 'starting' | 'running' | 'restarting' | 'crashed';

/** Runs one application: at most one release serves, and a new one takes over only when it answers. */
export interface Runner {
  readonly front: Front;
  readonly log: AppLog;
  state(): RunState;
  /** Starts the snapshot and moves the traffic to it; fine when it runs already. Throws a HttpError, the old one serving on. */
  start(snapshot: string): Promise<void>;
  /** Starts the active snapshot anew, with the variables of now, and moves the traffic to it. */
  restart(): Promise<void>;
  /** Ends the application; a start that is under way is called off. */
  stop(): Promise<void>;
  /** Starts the active snapshot as after a crash, trying again: for applications that ran when the platform ended. */
  resume(): Promise<void>;
  /** Ends everything without changing whether the application is wanted. */
  close(): Promise<void>;
}

/** What a runner works with. */
export interface RunnerParts extends ReleaseParts {
  /** Called when a release serves, and again when the one before is gone. */
  readonly onServing: (app: AppName, snapshot: string) => Promise<void>;
  readonly onRetired: (app: AppName, snapshot: string) => Promise<void>;
}

/** Makes the runner of an application; nothing runs yet. */
export function runner(parts: RunnerParts, app: AppName): Runner {
  return new AppRunner(parts, app);
}

class AppRunner implements Runner {
  readonly front: Front;
  readonly log: AppLog;
  readonly #crashes: Crashes;
  readonly #withLock = keyedMutex();
  readonly #background = new Set<Promise<void>>();
  #state: RunState = 'stopped';
  #running: Running | undefined;
  #starting: AbortController | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly app: AppName,
  ) {
    this.log = appLog(parts.folders.ofApp(app).log, parts.limits.logBytes);
    this.front = front(() => absence(app, this.#state));
    this.#crashes = crashes(parts.limits);
  }

  state(): RunState {
    return this.#state;
  }

  start(snapshot: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#running?.snapshot !== snapshot) await this.#startAfresh(snapshot);
    });
  }

  restart(): Promise<void> {
    return this.#exclusively(async () => {
      const { active } = await this.parts.apps.get(this.app);
      if (active === null) throw new HttpError(409, 'Nothing has been started yet; start a snapshot first.');
      await this.#startAfresh(active);
    });
  }

  stop(): Promise<void> {
    this.#starting?.abort();
    return this.#exclusively(async () => {
      await this.parts.apps.change(this.app, { wanted: 'stopped' });
      this.#state = 'stopped';
      await this.#end(this.parts.limits.drainMs);
      this.log.note('stopped');
    });
  }

  resume(): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#running) return;
      this.#state = 'restarting';
      await this.#revive();
    });
  }

  close(): Promise<void> {
    this.#closing = true;
    this.#starting?.abort();
    return this.#exclusively(async () => {
      // Cutting the connections first makes what is being drained idle at once.
      await this.front.close();
      await this.#end(0);
    });
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    return this.#withLock('', work);
  }

  /** A start that somebody asked for: earlier crashes do not count, and no pause is waited for. */
  async #startAfresh(snapshot: string): Promise<void> {
    this.#crashes.reset();
    await this.#swap(snapshot);
    clearTimeout(this.#retry);
  }

  /** Starts a release and moves the traffic to it; when that fails everything stays as it was. */
  async #swap(snapshot: string): Promise<void> {
    if (this.#closing) throw new HttpError(503, 'The platform is stopping.');
    const began = performance.now();
    const before = this.#state;
    const starting = new AbortController();
    this.#starting = starting;
    if (!this.#running) this.#state = 'starting';
    try {
      const next = await launchRelease(this.parts, this.app, snapshot, {
        log: this.log,
        front: this.front,
        signal: starting.signal,
      });
      await this.parts.apps.change(this.app, { active: snapshot, wanted: 'running' });
      this.#serve(next);
      this.#report('app.serving', { snapshot, milliseconds: performance.now() - began });
    } catch (error) {
      // The one that ran may have crashed meanwhile; then it is that which the state tells.
      if (this.#state === 'starting') this.#state = before;
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  #serve(next: Running): void {
    const { limits, onServing, onRetired } = this.parts;
    const old = this.#running;
    this.#running = next;
    this.#state = 'running';
    const drained = this.front.pointTo(next.port);
    next.exited.then((exit) => this.#fell(next, howItEnded(exit)));
    this.log.note(`${next.snapshot} serves`);
    const retire = async () => {
      await drained(limits.drainMs);
      await old?.end(limits.graceMs);
      await onRetired(this.app, next.snapshot);
    };
    this.#later(onServing(this.app, next.snapshot));
    this.#later(retire());
  }

  /** The serving process is gone and nobody asked for it. */
  #fell(which: Running, how: string): void {
    if (this.#running !== which || this.#closing) return;
    this.#running = undefined;
    this.front.pointTo(undefined);
    this.#crashed(`${which.snapshot} ${how}`);
  }

  #crashed(how: string): void {
    const verdict = this.#crashes.record(performance.now());
    const givenUp = 'givenUp' in verdict;
    this.#state = givenUp ? 'crashed' : 'restarting';
    const next = givenUp ? 'it crashed too often and is not started again' : `next try in ${verdict.retryAfterMs} ms`;
    this.log.note(`${how}; ${next}`);
    this.#report(givenUp ? 'app.crashed' : 'app.restarting', { detail: how });
    if (givenUp) return;
    this.#retry = setTimeout(() => {
      this.#exclusively(() => this.#revive()).catch((error: unknown) => this.#failed(error));
    }, verdict.retryAfterMs);
  }

  async #revive(): Promise<void> {
    if (this.#running || this.#closing || this.#state !== 'restarting') return;
    const { active, wanted } = await this.parts.apps.get(this.app);
    if (active === null || wanted === 'stopped') return;
    // Another failure counts as another crash, so that a release that can never start is given up as well.
    await this.#swap(active).catch((error: unknown) => {
      if (!this.#closing && this.#state === 'restarting') this.#crashed(messageOf(error));
    });
  }

  /** Takes the traffic away and ends what runs; afterwards nothing of the application is left. */
  async #end(drainMs: number): Promise<void> {
    clearTimeout(this.#retry);
    const old = this.#running;
    this.#running = undefined;
    await this.front.pointTo(undefined)(drainMs);
    await old?.end(this.parts.limits.graceMs);
    await Promise.all(this.#background);
    await this.log.flush();
  }

  /** Work that nobody waits for but the end. */
  #later(work: Promise<void>): void {
    const done = work.catch((error: unknown) => this.#failed(error)).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  #failed(error: unknown): void {
    this.#report('app.error', { detail: messageOf(error) });
  }

  #report(type: string, more: Omit<PlatformEvent, 'type' | 'user' | 'app'>): void {
    this.parts.log({ type, user: this.app.user, app: this.app.app, ...more });
  }
}

function absence(app: AppName, state: RunState): string {
  const why = {
    stopped: 'is stopped',
    starting: 'is starting',
    running: 'is starting',
    restarting: 'has crashed and is being started again',
    crashed: 'has crashed too often; see its log',
  };
  return `${app.app} ${why[state]}.`;
}
