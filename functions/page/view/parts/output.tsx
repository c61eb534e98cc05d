import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OutputLine } from '../../../../lib/client/output.ts';
import { plainLine } from '../../model/output.ts';
import { timeOfDay } from '../../model/time.ts';
import { showOutput } from '../../service/show-output.ts';
import { useWorkspace } from '../../service/workspace.ts';

interface OutputProps {
  readonly path: readonly string[];
  /** The last lines to begin with; absent for an output that is sent from its beginning. */
  readonly lines?: number;
  /** The text for an output without lines. */
  readonly empty: string;
}

/** More of them would make the page slow; the command line has all. */
const MAX_LINES = 5000;
/** Nearer to the end than this, the view follows it. */
const AT_END_PX = 40;

interface Numbered extends OutputLine {
  readonly number: number;
}

/** An output as it is printed. It follows the end, unless the reader has scrolled up. */
export function Output({ path, lines: wanted, empty }: OutputProps) {
  const { api } = useWorkspace();
  const [lines, setLines] = useState<readonly Numbered[]>([]);
  const [ended, setEnded] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const key = path.join('/');
  useEffect(() => {
    const stop = new AbortController();
    let number = 0;
    void showOutput(api, {
      request: { path },
      ...(wanted !== undefined && { lines: wanted }),
      signal: stop.signal,
      onLines: (news) => {
        const numbered = news.map((line) => ({ ...line, number: number++ }));
        setLines((known) => [...known, ...numbered].slice(-MAX_LINES));
      },
      onEnd: (problem) => setEnded(problem && problem.status !== 404 ? problem.detail : empty),
    });
    return () => stop.abort();
  }, [key]);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const scrolled = ({ currentTarget }: { currentTarget: HTMLDivElement }) => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div class="output" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="Output" aria-live="off">
      {lines.length === 0 && <p class="faint">{ended ?? 'Waiting for the first line…'}</p>}
      {lines.map((line) => (
        <Line key={line.number} line={line} />
      ))}
    </div>
  );
}

/** A line never changes. */
class Line extends Component<{ line: Numbered }> {
  override shouldComponentUpdate(): boolean {
    return false;
  }

  override render({ line: { at, stream, line } }: { line: Numbered }) {
    return (
      <p class={stream}>
        <time dateTime={at}>{timeOfDay(Date.parse(at))}</time>
        <span>{plainLine(line)}</span>
      </p>
    );
  }
}
