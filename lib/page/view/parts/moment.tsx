import { useEffect, useRef } from 'preact/hooks';
import { ago, agoChangesAt, duration, inFull, until } from '../../model/time.ts';

/** A text that depends on the time. */
interface Ticking {
  readonly text: (now: number) => string;
  /** When the text changes next, in milliseconds since 1970. */
  readonly changesAt: (now: number) => number;
}

interface Followed extends Ticking {
  readonly element: Element;
  dueAt: number;
}

const followed = new Set<Followed>();
let timer: ReturnType<typeof setInterval> | undefined;
let tickedAt = 0;

/** One clock for the whole page: it ticks each second while something on it changes with the time. */
function follow(element: Element, ticking: Ticking): () => void {
  const one = { ...ticking, element, dueAt: 0 };
  followed.add(one);
  timer ??= setInterval(tick, 1000);
  return () => {
    followed.delete(one);
    if (followed.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  const now = Date.now();
  // A clock that was set back makes every text wrong.
  const isSetBack = now < tickedAt;
  tickedAt = now;
  for (const one of followed) if (isSetBack || one.dueAt <= now) write(one, now);
}

function write(one: Followed, now: number): void {
  one.dueAt = one.changesAt(now);
  const text = one.text(now);
  const node = one.element.firstChild;
  if (node && node.nodeValue !== text) node.nodeValue = text;
}

/**
 * Keeps the only text of an element up to date, without drawing its view again: a thousand rows may change in the same
 * second, and drawing each would take a hundred times as long.
 */
function useTicking<E extends Element>(ticking: Ticking, from: string) {
  const place = useRef<E>(null);
  useEffect(() => (place.current ? follow(place.current, ticking) : undefined), [from]);
  return place;
}

export function Moment({ at }: { at: string }) {
  const time = Date.parse(at);
  return <Time at={at} text={(now) => ago(time, now)} changesAt={(now) => agoChangesAt(time, now)} />;
}

export function Until({ at }: { at: string }) {
  return <Time at={at} text={(now) => until(Date.parse(at), now)} changesAt={(now) => now} />;
}

/** Its title has the full time in the reader's time zone. */
function Time({ at, ...ticking }: Ticking & { readonly at: string }) {
  const place = useTicking<HTMLTimeElement>(ticking, at);
  return (
    <time ref={place} dateTime={at} title={inFull(Date.parse(at))}>
      {ticking.text(Date.now())}
    </time>
  );
}

/** The duration of something, or its duration so far. */
export function Took({ from, to }: { from: string; to: string | null }) {
  if (to === null) return <Running from={from} />;
  return duration(Date.parse(to) - Date.parse(from));
}

/** Whole seconds: tenths that change are noise. */
function Running({ from }: { from: string }) {
  const text = (now: number) => {
    const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1000));
    return seconds < 10 ? `${seconds} s` : duration(seconds * 1000);
  };
  const place = useTicking<HTMLSpanElement>({ text, changesAt: (now) => now }, from);
  return <span ref={place}>{text(Date.now())}</span>;
}
