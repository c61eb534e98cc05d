import type { StartCommand } from '../../builder/start/start-command.ts';
import { sentenceOf } from '../../http/http-error.ts';
import { portsOf } from '../../http/port-owner.ts';
import type { StartedGroup } from '../../process/members.ts';
import type { RunnerEvent } from '../calls.ts';
import { next } from '../life.ts';
import { reportLimit } from '../limits/condition.ts';
import type { ProcessLog } from '../logs/app-log.ts';
import type { Release } from '../start/release.ts';
import { type Doing, type Effect, type LifeEvent, NEW_LIFE, stateOf } from '../states.ts';
import { type Ending, type Listed, lastLines, startProcess } from './app-process.ts';

/** A process that has been started. */
export interface Started {
  readonly group: StartedGroup;
  readonly ended: Promise<Ending>;
  end(graceMs: number): Promise<void>;
}

/** A process that is kept running. */
export interface BackgroundSpec {
  readonly type: string;
  /** From 1. */
  readonly number: number;
  readonly command: StartCommand;
  /** Starts one that gets traffic, until the signal. Default: the command is run without a port. */
  readonly start?: (signal: AbortSignal) => Promise<Started>;
  readonly report: (type: string, more: Pick<RunnerEvent, 'detail' | 'isCause' | 'process' | 'about'>) => void;
}

/** How a process has ended unexpectedly, with the last lines that it printed. */
export interface Crash {
  readonly how: string;
  readonly lines: readonly string[];
  readonly ending: Ending | undefined;
}

/** A process beside the first `web`, which is started again after a crash as that is. */
export class BackgroundProcess {
  readonly name: string;
  /** Resolves at its first crash. */
  readonly firstCrash: Promise<Crash>;
  readonly #log: ProcessLog;
  #life = NEW_LIFE;
  #since = new Date();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<Started | undefined> = Promise.resolve(undefined);
  readonly #isOver = new AbortController();
  #group: StartedGroup | undefined;
  #crashedFirst: (crash: Crash) => void = () => undefined;

  constructor(
    private readonly release: Release,
    private readonly spec: BackgroundSpec,
  ) {
    this.name = `${spec.type}.${spec.number}`;
    this.#log = release.log.of(this.name);
    this.firstCrash = new Promise((resolve) => {
      this.#crashedFirst = resolve;
    });
    this.#take({ type: 'resumed', snapshot: this.name, inTurn: false });
  }

  get type(): string {
    return this.spec.type;
  }

  get isLooping(): boolean {
    return this.#life.crashes.loop !== null;
  }

  shown(): Listed {
    const { type, command } = this.spec;
    const process = { name: this.name, type, command: command.text, state: stateOf(this.#life) };
    return {
      process: { ...process, since: this.#since.toISOString(), restarts: this.#life.crashes.restarts },
      group: this.#group,
    };
  }

  /** Returns the ports on which it listens; none where the system does not tell. */
  async ports(): Promise<readonly number[]> {
    const running = await this.#running;
    return running ? portsOf(running.group) : [];
  }

  /** Ends it for good: SIGTERM, and SIGKILL after that time. */
  async end(graceMs: number): Promise<void> {
    this.#take({ type: 'stopped' });
    this.#isOver.abort();
    const running = await this.#running;
    await running?.end(graceMs);
  }

  /** In a loop it has recovered after a time: it answers nobody, who would see that it works. */
  #take(event: LifeEvent): void {
    const before = stateOf(this.#life);
    const wasLooping = this.isLooping;
    const { life, effects } = next(this.#life, event, this.release.limits);
    this.#life = life;
    if (stateOf(life) !== before) this.#since = new Date();
    for (const effect of effects) this.#carryOut(effect);
    if (wasLooping && !this.isLooping && event.type === 'timer') {
      this.spec.report('app.recovered', { process: this.name });
    }
  }

  #carryOut(effect: Effect): void {
    if (effect.do === 'start') this.#start(effect.version);
    else if (effect.do === 'end') clearTimeout(this.#timer);
    else if (effect.do === 'arm') this.#arm(effect);
    else if (effect.do === 'report') this.#report(effect);
    else if (effect.do === 'note' && this.#life.state.is !== 'running') this.#log.note(effect.text);
  }

  #arm({ timer, version, ms }: Doing<'arm'>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#take({ type: 'timer', timer, version }), ms);
  }

  #report(effect: Doing<'report'>): void {
    const { type, detail = '', isCause = false } = effect;
    const report: BackgroundSpec['report'] = (of, more) => this.spec.report(of, { ...more, process: this.name });
    reportLimit({ name: this.name, life: this.#life, report }, effect);
    if (type === 'app.crashed' && this.isLooping) this.spec.report(type, { detail, isCause, process: this.name });
    else if (type === 'app.restarting') {
      this.spec.report(type, { detail: `${this.name} ${detail}`, isCause, process: this.name });
    }
  }

  async #run(add: (line: string) => void): Promise<Started> {
    const { group, ended } = await startProcess(this.release, {
      command: this.spec.command,
      output: (stream, name) => this.#log.capture(stream, name, add),
    });
    return { group, ended, end: group.end };
  }

  #start(version: number): void {
    const { lines, add } = lastLines();
    const started = this.spec.start?.(this.#isOver.signal) ?? this.#run(add);
    this.#running = started.catch(() => undefined);
    started.then(
      ({ group, ended }) => {
        const began = performance.now();
        this.#group = group;
        this.#take({ type: 'answered', version, hasWeb: false, rests: false });
        void ended.then((ending) => {
          this.#group = undefined;
          // Its id may be another process's by then.
          this.#running = Promise.resolve(undefined);
          const { how, tooLarge, wellUntil = performance.now() } = ending;
          this.#take({ type: 'ended', version, how, tooLarge, ranMs: wellUntil - began });
          this.#crashedFirst({ how, lines, ending });
        });
      },
      (error: unknown) => {
        const how = sentenceOf(error);
        this.#take({ type: 'failed', version, how, isCancelled: false });
        this.#crashedFirst({ how, lines, ending: undefined });
      },
    );
  }
}
