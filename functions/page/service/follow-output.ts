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
 * again, without a line twice. While too many streams are open, what there is so far is read now and then. Nothing is
 * read while the page is hidden, because an open stream costs money on AWS.
 */
export async function followOutput(api: Api, followed: Followed): Promise<void> {
  const { signal, onLines, onEnd } = followed;
  const seen = new Seen();
  const batch = new Batch(onLines);
  let failures = 0;
  let follow = true;
  while (!signal.aborted) {
    await untilVisible(signal);
    const outcome = await readOutput(api, { ...followed, follow }, (line) => {
      if (follow) failures = 0;
      if (seen.isNew(line)) batch.add(line);
    });
    if (signal.aborted) return;
    if (outcome === 'ended' && follow) return batch.end(() => onEnd(null));
    if (outcome instanceof Problem) return batch.end(() => onEnd(outcome));
    seen.again();
    const isRefused: boolean = outcome === 'too-many' && follow;
    follow = !isRefused;
    if (isRefused) continue;
    failures += 1;
    await pause(Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1)), signal);
  }
}

/** `cut`: by the service, by the network, or because the page was hidden. A Problem is a refusal for good. */
type Outcome = 'ended' | 'cut' | 'too-many' | Problem;

async function readOutput(
  api: Api,
  { request, lines, signal, follow }: Followed & { readonly follow: boolean },
  onLine: (line: OutputLine) => void,
): Promise<Outcome> {
  const visit = visitOf(signal);
  const query = { follow, ...(lines !== undefined && { lines }) };
  let isCut = false;
  try {
    for await (const text of api.lines({ ...request, query, signal: visit })) {
      const said = readLine(text);
      if (said && 'code' in said) isCut = true;
      else if (said) onLine(said);
    }
    return isCut || visit.aborted ? 'cut' : 'ended';
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) return 'cut';
    return error.status === 429 ? 'too-many' : error;
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
