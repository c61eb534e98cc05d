import { useEffect, useState } from 'preact/hooks';
import { ago, duration, inFull } from '../model/time.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for the whole page: it ticks each second while something on the screen needs it. */
function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns a text that depends on the time, and draws the view again only when the text changes. */
function useTicking(text: () => string): string {
  const [, setShown] = useState(text);
  useEffect(() => onTick(() => setShown(text())));
  return text();
}

/** How long ago something was; in full, in the reader's own zone, for a pointer that rests on it. */
export function Moment({ at }: { at: string }) {
  const time = Date.parse(at);
  const shown = useTicking(() => ago(time, Date.now()));
  return (
    <time dateTime={at} title={inFull(time)}>
      {shown}
    </time>
  );
}

/** How long something took, or has taken so far. */
export function Took({ from, to }: { from: string; to: string | null }) {
  if (to === null) return <Running from={from} />;
  return duration(Date.parse(to) - Date.parse(from));
}

/** Whole seconds: tenths that change are noise. */
function Running({ from }: { from: string }) {
  const shown = useTicking(() => {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(from)) / 1000));
    return seconds < 10 ? `${seconds} s` : duration(seconds * 1000);
  });
  return <>{shown}</>;
}
