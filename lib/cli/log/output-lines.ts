import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { printable, printableJson, printableLine } from '../../terminal/printable.ts';
import type { Call } from '../command.ts';
import { Failure, Unreachable } from '../errors.ts';
import type { Api, ApiRequest } from '../service/api.ts';
import { Refusal } from '../service/refusal.ts';
import { painter } from '../text.ts';

const Line = v.object({ at: v.string(), stream: v.string(), line: v.string() });
type Line = v.InferOutput<typeof Line>;
/** The last line of a stream that the service ends. */
const Ending = v.object({ code: v.string() });
type Ending = v.InferOutput<typeof Ending>;

const TIMEOUT = 'status:changes:timeout';
/** The connection broke after the output had begun, as when the service is started again. */
const BROKEN: Ending = { code: 'broken' };
const PAUSE_MS = 1000;
const MAX_FAILURES = 5;
/** Others may give a place back long before the service knows that one is free. */
const LONGEST_WAIT_MS = 10_000;

/** Options of printing output. */
export interface OutputRequest {
  readonly request: ApiRequest;
  readonly follow: boolean;
  /**
   * Lines to ask for when the stream is taken up again; absent for an output that is always sent from its beginning.
   */
  readonly resumeLines?: number;
}

/**
 * Prints the lines of an output as they arrive, and returns their number. With `follow` it reconnects when the service
 * ends the stream or the connection breaks, without repeating a line, until `signal` aborts or the output has ended.
 */
export async function printOutput(
  call: Call,
  client: Api,
  { request, follow, resumeLines }: OutputRequest,
): Promise<number> {
  const print = printer(call);
  const seen = new Seen();
  let current = request;
  let failures = 0;
  let isTold = false;
  for (;;) {
    const printed = seen.total;
    const lines = whenFree(call, follow, () => client.lines(current));
    const ending = await printStream(call, lines, (line) => seen.isNew(line) && print(line)).catch((error) =>
      brokenIf(follow && seen.total > 0, error),
    );
    if (ending === null || (call.signal.aborted && follow)) return seen.total;
    failures = seen.total > printed ? 0 : failures + 1;
    if (failures === 0) isTold = false;
    if (ending === BROKEN && !isTold) {
      call.warn('The output is interrupted; trying again.');
      isTold = true;
    }
    if (ending.code !== TIMEOUT) await retry(call, { ending, follow, failures });
    seen.again();
    current = { ...request, query: { ...request.query, lines: resumeLines } };
  }
}

/** Returns the ending of a stream that broke, where it is taken up again. Else throws the error. */
function brokenIf(isResumed: boolean, error: unknown): Ending {
  if (isResumed && error instanceof Unreachable) return BROKEN;
  throw error;
}

/** Yields the lines of a stream, and waits for it while the service has no place for another one. */
async function* whenFree(
  { warn, signal }: Call,
  follow: boolean,
  open: () => AsyncIterable<string>,
): AsyncGenerator<string, void> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      return yield* open();
    } catch (error) {
      if (!follow || !(error instanceof Refusal) || error.status !== 429) throw error;
      if (tries === 1) warn(`${error.message} Waiting.`);
      const waitMs = Math.min(LONGEST_WAIT_MS, error.retryAfterMs ?? PAUSE_MS);
      await setTimeout(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Returns how the service has ended the stream; null when the output has ended or the user has left. */
async function printStream(
  { args, signal }: Call,
  lines: AsyncIterable<string>,
  print: (line: Line) => void,
): Promise<Ending | null> {
  let ending: Ending | null = null;
  try {
    for await (const sent of lines) {
      const read = readLine(sent);
      if (read && 'code' in read) ending = read;
      else if (read) print(read);
    }
  } catch (error) {
    if (signal.aborted && args.flag('follow')) return null;
    throw error;
  }
  return ending;
}

interface Interruption {
  readonly ending: Ending;
  readonly follow: boolean;
  /** Streams in a row that had no new line. */
  readonly failures: number;
}

/** Waits a moment before the next stream. Throws when another one would not help. */
async function retry({ signal }: Call, { ending, follow, failures }: Interruption): Promise<void> {
  if (!follow || (ending !== BROKEN && failures > MAX_FAILURES))
    throw new Failure(`The service ended the output (${printable(ending.code)}); try again.`);
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
}

/** Null for a heartbeat, and for what is no line. */
function readLine(text: string): Line | Ending | null {
  if (text.trim() === '') return null;
  const value = parsed(text);
  return v.is(Line, value) || v.is(Ending, value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The lines that were printed, by the time of the last one: several lines may have the same. */
class Seen {
  /** The number of lines that were new. */
  total = 0;
  #at = '';
  #count = 0;
  #toSkip = 0;

  isNew({ at }: Line): boolean {
    if (at < this.#at) return false;
    if (at === this.#at && this.#toSkip > 0) {
      this.#toSkip -= 1;
      return false;
    }
    this.#count = at === this.#at ? this.#count + 1 : 1;
    this.#at = at;
    this.total += 1;
    return true;
  }

  /** The stream begins again, with lines that were printed. */
  again(): void {
    this.#toSkip = this.#count;
  }
}

function printer(call: Call): (line: Line) => void {
  const { args, print } = call;
  const paint = painter(call);
  if (args.flag('json')) return (line) => print(printableJson(line));
  const time = args.flag('timestamps') ? ({ at }: Line) => `${paint('dim', printable(at))} ` : () => '';
  return (line) => {
    const text = printableLine(line.line);
    print(`${time(line)}${line.stream === 'platform' ? paint('dim', `-- ${text}`) : text}`);
  };
}
