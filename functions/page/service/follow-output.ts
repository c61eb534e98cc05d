import { type OutputLine, readLine, Seen } from '../model/output.ts';
import { type Api, type ApiRequest, Problem } from './api.ts';

/** The output that is followed. */
export interface Followed {
  readonly request: ApiRequest;
  /** Lines to ask for; absent for an output that is always sent from its beginning. */
  readonly lines?: number;
  readonly signal: AbortSignal;
  readonly onLines: (lines: readonly OutputLine[]) => void;
  /** The output has ended: no more lines will come. `problem` is the refusal, if there was one. */
  readonly onEnd: (problem: Problem | null) => void;
}

const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;
/** Lines that come within this time are drawn at once. */
const BATCH_MS = 50;

/**
 * Follows an output until it has ended or `signal` aborts. A stream that the service or the network ends is taken up
 * again, without a line twice. Nothing is read while nobody looks at the page: an open stream costs on AWS.
 */
export async function followOutput(api: Api, { request, lines, signal, onLines, onEnd }: Followed): Promise<void> {
  const seen = new Seen();
  const batch = new Batch(onLines);
  let failures = 0;
  while (!signal.aborted) {
    await untilVisible(signal);
    const visit = visitOf(signal);
    const query = { follow: true, ...(lines !== undefined && { lines }) };
    try {
      let code: string | null = null;
      for await (const text of api.lines({ ...request, query, signal: visit })) {
        failures = 0;
        const said = readLine(text);
        if (said && 'code' in said) code = said.code;
        else if (said && seen.isNew(said)) batch.add(said);
      }
      if (code === null && !visit.aborted) return batch.end(() => onEnd(null));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) return batch.end(() => onEnd(error));
    }
    seen.again();
    failures += 1;
    if (!signal.aborted) await pause(Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1)), signal);
  }
}

/** Gathers lines, so that an output that comes fast is not drawn line by line. */
class Batch {
  #lines: OutputLine[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (lines: readonly OutputLine[]) => void) {}

  add(line: OutputLine): void {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  end(then: () => void): void {
    this.#flush();
    then();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0) this.send(lines);
  }
}

/** Returns a signal that aborts with the given one, or when the page is hidden. */
function visitOf(signal: AbortSignal): AbortSignal {
  const visit = new AbortController();
  const hidden = () => document.visibilityState === 'hidden' && visit.abort();
  document.addEventListener('visibilitychange', hidden, { signal: visit.signal });
  signal.addEventListener('abort', () => visit.abort(), { signal: visit.signal });
  return visit.signal;
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'hidden' || signal.aborted) resolve();
    };
    document.addEventListener('visibilitychange', look, { signal });
    signal.addEventListener('abort', look);
    look();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
