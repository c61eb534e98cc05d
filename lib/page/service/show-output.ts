import { Problem } from '../../client/client.ts';
import { type FollowedOutput, followOutput, type OutputLine, Seen } from '../../client/output.ts';
import type { Api } from './api.ts';

interface ShownOutput extends Pick<FollowedOutput, 'request' | 'lines' | 'signal'> {
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
  const batch = batched(onLines);
  try {
    while (!signal.aborted) {
      await untilVisible(signal);
      const visit = visitOf(signal);
      for await (const line of followOutput(api, { ...output, signal: visit, seen })) batch.add(line);
      if (!visit.aborted) {
        batch.flush();
        return onEnd(null);
      }
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    batch.flush();
    onEnd(error);
  }
}

/** Gathers lines, so that an output that comes fast is not drawn line by line. */
function batched(send: ShownOutput['onLines']) {
  let lines: OutputLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length > 0) send(lines);
    lines = [];
  };
  const add = (line: OutputLine) => {
    lines.push(line);
    timer ??= setTimeout(flush, BATCH_MS);
  };
  return { add, flush };
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
