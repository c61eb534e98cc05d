import { Problem } from '../../../lib/client/client.ts';
import { type FollowedOutput, followOutput, type OutputLine, Seen } from '../../../lib/client/output.ts';
import type { Api } from './api.ts';

/** The output that is shown. */
export interface ShownOutput extends Pick<FollowedOutput, 'request' | 'lines' | 'signal'> {
  readonly onLines: (lines: readonly OutputLine[]) => void;
  /** The output has ended: no more lines will come. `problem` is the refusal, if there was one. */
  readonly onEnd: (problem: Problem | null) => void;
}

/** Lines that come within this time are drawn at once. */
const BATCH_MS = 50;

/**
 * Shows an output until it has ended or `signal` aborts. Nothing is read while the page is hidden, because an open
 * stream costs money on AWS.
 */
export async function showOutput(api: Api, { onLines, onEnd, signal, ...output }: ShownOutput): Promise<void> {
  const seen = new Seen();
  const batch = new Batch(onLines);
  try {
    while (!signal.aborted) {
      await untilVisible(signal);
      const visit = visitOf(signal);
      for await (const line of followOutput(api, { ...output, signal: visit, seen })) batch.add(line);
      if (!visit.aborted) return batch.end(() => onEnd(null));
      seen.again();
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    batch.end(() => onEnd(error));
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
