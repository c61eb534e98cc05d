import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { RunInput, Said } from '../../../functions/core/ports/processes.ts';
import type { OutputName } from '../../builder/process/lines.ts';
import type { StartCommand } from '../../builder/start/start-command.ts';
import { HttpError, sentenceOf } from '../../http/http-error.ts';
import type { StartedGroup } from '../../process/members.ts';
import { type AppProcess, type Ending, startProcess } from '../processes/app-process.ts';
import type { Release } from '../start/release.ts';

interface OneOffSpec {
  readonly name: string;
  readonly command: StartCommand;
}

/** Reading of the output pauses while more than this waits for its reader. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** A command that prints without a pause rests that long after each chunk of a full pipe, so that the requests of others go on. */
const LARGE_CHUNK_BYTES = 32 * 1024;
const REST_MS = 5;
/** After the end of the command, as long as its reader keeps up. */
const LAST_OUTPUT_MS = 1_000;
const LAST_OUTPUT_ROUNDS = 5;
/** As of a shell: 128 and the number of the signal. */
const SIGNAL_BASE = 128;

/** One command in a release, whose output goes to one reader. It is ended when it has none for a while. */
export class OneOff {
  readonly id = randomBytes(12).toString('hex');
  readonly since = new Date();
  /** Resolves when the command has ended, with whether its end was read, or nobody has come to read it. */
  readonly done: Promise<boolean>;
  readonly #process: AppProcess;
  readonly #streams: Readable[];
  readonly #resting = new Set<Readable>();
  #waiting: Said[] = [];
  #bytes = 0;
  #wake: () => void = () => undefined;
  #isRead = false;
  #isDropped = false;
  #hasEnded = false;
  #idle: NodeJS.Timeout | undefined;
  #finish: (isRead: boolean) => void = () => undefined;

  /** Starts the command. Throws an HttpError (400) when there is no such program. */
  static async start(release: Release, { name, command }: OneOffSpec): Promise<OneOff> {
    const streams: [Readable, OutputName][] = [];
    const output = (stream: Readable, from: OutputName) => void streams.push([stream, from]);
    const started = await startProcess(release, { command, takesInput: true, output }).catch((error: unknown) => {
      const isShown = shownProgram(command.program) === command.program;
      throw new HttpError(
        400,
        isShown ? sentenceOf(error) : 'The first word of the command is no program that can be run.',
      );
    });
    return new OneOff(release, { name, command, started, streams });
  }

  private constructor(
    private readonly release: Release,
    private readonly spec: {
      readonly name: string;
      readonly command: StartCommand;
      readonly started: AppProcess;
      readonly streams: readonly (readonly [Readable, OutputName])[];
    },
  ) {
    this.#process = spec.started;
    this.#streams = spec.streams.map(([stream]) => stream);
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Ignore EPIPE: the command may end while it still gets input.
    this.#process.group.input?.on('error', () => undefined);
    const read = spec.streams.map(([stream, from]) => this.#collect(stream, from));
    void this.#process.ended.then(() => {
      this.#hasEnded = true;
      for (const stream of this.#streams) void readToEnd(stream);
    });
    void Promise.all([this.#process.ended, ...read]).then(([ending]) => this.#say(exitOf(ending), 0));
    this.#unread();
  }

  get name(): string {
    return this.spec.name;
  }

  get group(): StartedGroup {
    return this.#process.group;
  }

  get ended(): Promise<Ending> {
    return this.#process.ended;
  }

  /**
   * Returns what it says until its end, which is the last, or the signal aborts. Each piece but the end is yielded once, over
   * all readers. Throws 409 while there is another one.
   */
  read(signal: AbortSignal): AsyncIterable<readonly Said[]> {
    if (this.#isRead) throw new HttpError(409, 'Somebody reads the output of this command already.');
    this.#isRead = true;
    clearTimeout(this.#idle);
    return this.#pieces(signal);
  }

  async *#pieces(signal: AbortSignal): AsyncGenerator<readonly Said[], void> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const said = this.#waiting;
        this.#waiting = [];
        this.#bytes = 0;
        this.#resume();
        const end = said.filter((one) => 'exit' in one);
        // The reader may not get it: its connection may be cut.
        this.#waiting.push(...end);
        if (said.length > 0) yield said;
        if (end.length > 0) return void (await this.end(true));
        if (this.#waiting.length === 0 && !signal.aborted) await this.#more();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#isRead = false;
      if (!this.#isDropped) this.#unread();
    }
  }

  /** Throws 429 while the command does not take what it was sent before. */
  write({ data, end, signal }: RunInput): void {
    const { input } = this.#process.group;
    // Its id may be another process's by then.
    if (signal && !this.#hasEnded) this.#process.group.signal(signal);
    if (!input || input.destroyed || input.writableEnded) return;
    if (data && input.writableLength > MOST_WAITING_BYTES) {
      throw new HttpError(429, 'The command does not read its input; send this again.');
    }
    if (data) input.write(data, 'base64');
    if (end) input.end();
  }

  /** Ends it with all that it has started, unless it has ended, and drops what nobody has read. */
  async end(isRead = false): Promise<void> {
    this.#isDropped = true;
    this.#resume();
    if (!this.#hasEnded) await this.#process.group.end(this.release.limits.graceMs);
    clearTimeout(this.#idle);
    this.#finish(isRead);
  }

  #collect(stream: Readable, from: OutputName): Promise<void> {
    stream.on('data', (chunk: Buffer) => {
      if (chunk.length >= LARGE_CHUNK_BYTES) this.#rest(stream);
      if (this.#isDropped) return;
      this.#say({ stream: from, data: chunk.toString('base64') }, chunk.length);
      if (this.#bytes > MOST_WAITING_BYTES) stream.pause();
    });
    return new Promise((resolve) => stream.once('close', resolve).on('error', () => undefined));
  }

  /** Nothing of it may be left out, as it may be a copy of a database: the command waits. */
  #rest(stream: Readable): void {
    stream.pause();
    this.#resting.add(stream);
    setTimeout(() => {
      this.#resting.delete(stream);
      if (this.#isDropped || this.#bytes <= MOST_WAITING_BYTES) stream.resume();
    }, REST_MS);
  }

  #resume(): void {
    for (const stream of this.#streams) if (!this.#resting.has(stream)) stream.resume();
  }

  #say(said: Said, bytes: number): void {
    this.#waiting.push(said);
    this.#bytes += bytes;
    this.#wake();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #unread(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), this.release.limits.unreadMs);
  }
}

/**
 * Closes the output of a command that has ended, when what it has written is read: a process that has escaped may hold
 * it open for ever. In each round at least a part is read, however busy this process is.
 */
async function readToEnd(stream: Readable): Promise<void> {
  for (let rounds = 0; !stream.closed && rounds < LAST_OUTPUT_ROUNDS; rounds += stream.isPaused() ? 0 : 1) {
    await pause(LAST_OUTPUT_MS / LAST_OUTPUT_ROUNDS);
    await turn();
  }
  stream.destroy();
}

/** Returns the program of a command if it has a plain name. All else may have secrets, which not everyone who reads a log may know. */
export function shownProgram(command: string): string | undefined {
  return /^[\w./-]+(?=\s|$)/.exec(command)?.[0];
}

/** Returns the exit code as a shell gives it, and the limit that was exceeded. */
export function exitOf({ exit, tooLarge, how }: Ending): { readonly exit: number; readonly reason: string | null } {
  const { code, signal } = exit;
  const number = signal === null ? 0 : constants.signals[signal];
  return { exit: code ?? SIGNAL_BASE + number, reason: tooLarge ? how : null };
}
