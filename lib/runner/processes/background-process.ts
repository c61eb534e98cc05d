import type { Process } from '../../../functions/core/ports/processes.ts';
import type { StartCommand } from '../../builder/start/start-command.ts';
import { sentenceOf } from '../../http/http-error.ts';
import { portsOf } from '../../http/port-owner.ts';
import type { StartedGroup } from '../../process/members.ts';
import type { RunnerEvent } from '../calls.ts';
import type { ProcessLog } from '../logs/app-log.ts';
import { Restarts } from '../start/crashes.ts';
import type { Release } from '../start/release.ts';
import { type AppProcess, type Ending, type Listed, lastLines, startProcess } from './app-process.ts';

/** A process without traffic that is kept running. */
export interface BackgroundSpec {
  readonly type: string;
  /** From 1. */
  readonly number: number;
  readonly command: StartCommand;
  readonly report: (type: string, more: Pick<RunnerEvent, 'detail' | 'isCause' | 'process'>) => void;
}

/** How a process has ended unexpectedly, with the last lines that it printed. */
export interface Crash {
  readonly how: string;
  readonly lines: readonly string[];
  readonly ending: Ending | undefined;
}

/** A process beside `web`, which is started again after a crash as that is. */
export class BackgroundProcess {
  readonly name: string;
  /** Resolves at its first crash. */
  readonly firstCrash: Promise<Crash>;
  readonly #log: ProcessLog;
  readonly #restarts: Restarts;
  #state: Process['state'] = 'starting';
  #since = new Date();
  #running: Promise<AppProcess | undefined> = Promise.resolve(undefined);
  #group: StartedGroup | undefined;
  #crashedFirst: (crash: Crash) => void = () => undefined;

  constructor(
    private readonly release: Release,
    private readonly spec: BackgroundSpec,
  ) {
    this.name = `${spec.type}.${spec.number}`;
    this.#log = release.log.of(this.name);
    this.#restarts = new Restarts(release.limits, this.#log);
    this.firstCrash = new Promise((resolve) => {
      this.#crashedFirst = resolve;
    });
    this.#start();
  }

  get type(): string {
    return this.spec.type;
  }

  get state(): Process['state'] {
    return this.#state;
  }

  shown(): Listed {
    const { type, command } = this.spec;
    const process = { name: this.name, type, command: command.text, state: this.#state };
    return {
      process: { ...process, since: this.#since.toISOString(), restarts: this.#restarts.count },
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
    this.#restarts.cancel();
    this.#become('stopped');
    const running = await this.#running;
    await running?.group.end(graceMs);
  }

  /** Says again that it crashes in a loop. */
  reportCrash(how = 'it crashed too often', isCause = false): void {
    if (this.#state === 'crashed') this.spec.report('app.crashed', { detail: how, isCause, process: this.name });
  }

  #start(): void {
    const { lines, add } = lastLines();
    const output: Parameters<typeof startProcess>[1]['output'] = (stream, name) => this.#log.capture(stream, name, add);
    const started = startProcess(this.release, { command: this.spec.command, output });
    this.#running = started.catch(() => undefined);
    started.then(
      ({ group, ended }) => {
        this.#group = group;
        this.#runs();
        void ended.then((ending) => {
          this.#group = undefined;
          // Its id may be another process's by then.
          this.#running = Promise.resolve(undefined);
          this.#crashed({ how: ending.how, lines, ending });
        });
      },
      (error: unknown) => this.#crashed({ how: sentenceOf(error), lines, ending: undefined }),
    );
  }

  /** In a loop it is `crashed` until it has recovered: it answers nobody, who would see that it works. */
  #runs(): void {
    if (this.#state === 'stopped') return;
    const wasLoop = this.#restarts.isLoop;
    this.#restarts.began(() => {
      this.#become('running');
      if (wasLoop) this.spec.report('app.recovered', { process: this.name });
    });
  }

  #crashed(crash: Crash): void {
    if (this.#state === 'stopped') return;
    const { how, ending } = crash;
    const tooLarge = ending?.tooLarge ?? false;
    const { state, isNew } = this.#restarts.after({ how, tooLarge }, () => this.#start());
    this.#become(state);
    this.#crashedFirst(crash);
    if (!isNew) return;
    if (this.#state === 'crashed') this.reportCrash(how, tooLarge);
    else this.spec.report('app.restarting', { detail: `${this.name} ${how}`, isCause: tooLarge, process: this.name });
  }

  #become(state: Process['state']): void {
    this.#state = state;
    this.#since = new Date();
  }
}
