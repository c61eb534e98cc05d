import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signals } from '../../../../lib/page/service/signals.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Signals whose streams have these lines, one after the other; the last one stays open. */
function world(openSocket: (() => WebSocket) | null, streams: readonly (readonly string[])[]) {
  const stop = new AbortController();
  const rows: unknown[] = [];
  const states: string[] = [];
  let opened = 0;
  signals({
    openSocket,
    stream: async function* () {
      const isLast = opened === streams.length - 1;
      yield* streams[opened++] ?? [];
      if (isLast) await new Promise(() => {});
    },
    isHidden: () => false,
    onLast: () => {},
    onLine: (row) => void rows.push(row),
    onState: (state) => void states.push(state),
    signal: stop.signal,
  });
  return { rows, states, stop: () => stop.abort() };
}

describe('signals of changes', () => {
  it('come as a stream where the browser refuses to make a WebSocket', async () => {
    const refuses = () => {
      throw new DOMException('An insecure WebSocket may not be opened from a page over HTTPS.', 'SecurityError');
    };
    const { rows, states, stop } = world(refuses, [['{"seq":1}']]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rows).toEqual([{ seq: 1 }]);
    expect(states.at(-1)).toBe('live');
    stop();
  });

  it('go on in another stream when one ends in the middle of a line', async () => {
    const { rows, stop } = world(null, [
      ['{"seq":1}', '{"seq":2,"sta'],
      ['', '{"seq":2}'],
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rows).toEqual([{ seq: 1 }, { seq: 2 }]);
    stop();
  });
});
