import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { type DocumentedEntry, type Entry, idOf, numberOf } from '../client/entry.ts';
import { followBuild, type OutputLine } from '../client/output.ts';
import { printable } from './printable.ts';

interface ShownBuild {
  /** Yields the build's output until it ends. */
  readonly output: (signal: AbortSignal) => AsyncIterable<OutputLine>;
  readonly print: (line: string) => void;
  /** The way to see all of the output, as the end of a sentence. */
  readonly whole: string;
  /** When it begins, how much it shows, and when it says that a quiet build goes on; shorter in tests. */
  readonly limits?: Partial<BuildProgressLimits>;
}

/** Returns the build of an entry, for lines that are printed so. */
export function shownBuild(client: Client, entry: Pick<Entry, 'id'>, print: ShownBuild['print']): ShownBuild {
  return {
    output: (signal) => followBuild(client, idOf(entry), signal),
    print,
    whole: `hooks build-log ${numberOf(entry)}`,
  };
}

interface BuildProgressLimits {
  /** A build that ends before is shown only when it fails, by its last lines. */
  readonly afterMs: number;
  /** The number of lines that are shown; the number of further lines is printed at the end. */
  readonly lines: number;
  readonly quietMs: number;
  /** Time limit for the rest of the output when the build has ended. */
  readonly restMs: number;
}

const LIMITS: BuildProgressLimits = { afterMs: 3_000, lines: 200, quietMs: 15_000, restMs: 2_000 };
const COLUMNS = 200;
/** What package managers say of themselves and of packages of others; all of the output has it. */
const NOISE = /^(?:npm (?:notice|warn|WARN)\b|Progress: resolved \d)/;

/** Prints the output of a build that takes longer than a moment, while it runs. */
export class BuildProgress {
  readonly #build: ShownBuild;
  readonly #limits: BuildProgressLimits;
  readonly #stop = new AbortController();
  #phase: 'before' | 'running' | 'after' = 'before';
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #lines = 0;
  #isWhole = false;

  constructor(build: ShownBuild) {
    this.#build = build;
    this.#limits = { ...LIMITS, ...build.limits };
  }

  /**
   * Takes notice of the entry's stages. When the build has ended it resolves as soon as the output is printed. Returns
   * the entry as it is to be drawn: without the last lines of the output when all of it has been printed.
   */
  async seen(entry: DocumentedEntry): Promise<DocumentedEntry> {
    const status = entry.doc.stages.findLast(({ name }) => name === 'extract')?.status;
    if (status === 'running') this.#begin();
    else if (status !== undefined || entry.doc.finished_at !== null) await this.#end();
    const wasPrinted = status === 'failed' && this.#isWhole && this.#lines > 0;
    return wasPrinted ? { ...entry, doc: { ...entry.doc, log_tail: [] } } : entry;
  }

  close(): void {
    this.#phase = 'after';
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  #begin(): void {
    if (this.#phase !== 'before') return;
    this.#phase = 'running';
    this.#begun = performance.now();
    this.#timer = setTimeout(() => {
      this.#reading = this.#read().catch(() => undefined);
      this.#awaitLine();
    }, this.#limits.afterMs);
  }

  async #end(): Promise<void> {
    if (this.#phase !== 'running') return;
    clearTimeout(this.#timer);
    // The end of the output comes with the end of the build, unless the connection is lost.
    await Promise.race([this.#reading, pause(this.#limits.restMs, undefined, { ref: false })]);
    this.close();
    const left = this.#lines - this.#limits.lines;
    if (left > 0) this.#print(`… ${left} more ${left === 1 ? 'line' : 'lines'}: ${this.#build.whole}`);
  }

  async #read(): Promise<void> {
    for await (const { line: printed } of this.#build.output(this.#stop.signal)) {
      const line = printable(printed.replaceAll('\t', '  ')).slice(0, COLUMNS).trimEnd();
      if (!line || NOISE.test(line) || this.#phase === 'after') continue;
      this.#lines += 1;
      if (this.#lines > this.#limits.lines) continue;
      this.#print(line);
      this.#awaitLine();
    }
    // An output that was left is not whole.
    this.#isWhole = !this.#stop.signal.aborted && this.#lines <= this.#limits.lines;
  }

  /** Says from time to time that a build goes on which prints nothing, or more than is shown. */
  #awaitLine(): void {
    clearTimeout(this.#timer);
    if (this.#phase !== 'running') return;
    this.#timer = setTimeout(() => {
      this.#print(`… building for ${Math.round((performance.now() - this.#begun) / 1000)} s`);
      this.#awaitLine();
    }, this.#limits.quietMs);
  }

  #print(line: string): void {
    this.#build.print(`    ${line}`);
  }
}
