import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OutputLine } from '../../../client/output.ts';
import type { Found } from '../../../client/search.ts';
import { plainLine } from '../../model/output.ts';
import { inFull, timeOfDay } from '../../model/time.ts';
import { showOutput } from '../../service/show-output.ts';
import { type StoredSearch, useSearch } from '../../service/use-search.ts';
import { useWorkspace } from '../../service/workspace.ts';

interface OutputProps {
  readonly path: readonly string[];
  /** The name of the file when it is downloaded, without its end. */
  readonly name: string;
  /** The last lines to begin with; absent for an output that is sent from its beginning. */
  readonly lines?: number;
  readonly empty: string;
}

/** More of them would make the page slow; the command line has all. */
const MAX_LINES = 5000;
/** Nearer to the end than this, the view follows it. */
const AT_END_PX = 40;

interface Numbered extends OutputLine {
  readonly number: number;
}

/** An output as it is printed, with search. It follows the end, unless the reader has scrolled up or has paused it. */
export function Output({ path, name, lines: wanted, empty }: OutputProps) {
  const { lines, ended } = useLines(path, wanted);
  const [search, setSearch] = useState('');
  // Of an output that is sent from its end on, others are stored.
  const stored = useSearch(path, wanted === undefined ? '' : search);
  const [wraps, setWraps] = useState(true);
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const until = pausedAt ?? Number.POSITIVE_INFINITY;
  const loaded = lines.filter((line) => line.number < until && matches(line, search));
  const isStored = search !== '' && wanted !== undefined;
  const shown = isStored ? withLater(stored.found, loaded) : loaded;
  const later = lines.length > 0 && pausedAt !== null ? Math.max(0, nextOf(lines) - pausedAt) : 0;
  return (
    <div class="stack">
      <div class="flow output-tools wrap">
        <input
          type="search"
          aria-label="Search in the output"
          placeholder="Search"
          value={search}
          spellcheck={false}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        {search !== '' && <span class="faint">{shown.length === 1 ? '1 line' : `${shown.length} lines`}</span>}
        {isStored && <Searched search={stored} />}
        <span class="buttons">
          <Toggle is={wraps} onToggle={() => setWraps(!wraps)}>
            Wrap
          </Toggle>
          {ended === null && (
            <Toggle is={pausedAt !== null} onToggle={() => setPausedAt(pausedAt === null ? nextOf(lines) : null)}>
              {later > 0 ? `Pause (${later} more)` : 'Pause'}
            </Toggle>
          )}
          <button type="button" class="small" disabled={lines.length === 0} onClick={() => download(name, lines)}>
            Download
          </button>
        </span>
      </div>
      <Box
        lines={shown}
        wraps={wraps}
        empty={
          isStored
            ? (stored.failure ?? (stored.found ? 'No line has that.' : 'Searching…'))
            : lines.length > 0
              ? noneOf(lines)
              : ended === null
                ? WAITING
                : ended || empty
        }
      />
    </div>
  );
}

export function AppOutput({ app }: { app: string }) {
  const { user } = useWorkspace().api;
  return <Output path={['apps', user, app, 'logs']} name={app} lines={500} empty="It has printed nothing." />;
}

/** Back to when the stored output was searched. */
function Searched({ search: { found, isBusy, further } }: { search: StoredSearch }) {
  if (!found?.searched.since) return null;
  const since = inFull(Date.parse(found.searched.since));
  return (
    <>
      <span class="faint">
        {found.next === null ? 'in all that is stored, ' : ''}back to {since}
      </span>
      {found.next !== null && (
        <button type="button" class="small" disabled={isBusy} onClick={further}>
          Search further back
        </button>
      )}
    </>
  );
}

/** Returns what was found, oldest first, with the lines that were printed after the search. */
function withLater(found: Found | null, loaded: readonly Numbered[]): readonly Numbered[] {
  if (found === null) return [];
  const until = found.searched.until ?? '';
  const stored = found.lines.toReversed();
  return [
    ...stored.map((line, index) => ({ ...line, number: index - stored.length })),
    ...loaded.filter(({ at }) => at > until),
  ];
}

function noneOf(lines: readonly Numbered[]): string {
  return lines[0]?.number === 0 ? 'No line has that.' : `None of the last ${MAX_LINES} lines has that.`;
}

const WAITING = 'Waiting for the first line…';

export function Toggle({
  is,
  onToggle,
  children,
}: {
  is: boolean;
  onToggle: () => void;
  children: preact.ComponentChildren;
}) {
  return (
    <button type="button" class="small" aria-pressed={is} onClick={onToggle}>
      {children}
    </button>
  );
}

function matches({ line }: Numbered, search: string): boolean {
  return search === '' || line.toLowerCase().includes(search.toLowerCase());
}

function nextOf(lines: readonly Numbered[]): number {
  const last = lines.at(-1);
  return last ? last.number + 1 : 0;
}

/** Follows an output; `ended` says why no line will come any more, null while some may. */
function useLines(path: readonly string[], wanted: number | undefined) {
  const { api } = useWorkspace();
  const [lines, setLines] = useState<readonly Numbered[]>([]);
  const [ended, setEnded] = useState<string | null>(null);
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
      onEnd: (problem) => setEnded(problem && problem.status !== 404 ? problem.detail : ''),
    });
    return () => stop.abort();
  }, [path.join('/')]);
  return { lines, ended };
}

/** Saves the lines as a file of text, each with its time. */
function download(name: string, lines: readonly Numbered[]): void {
  const text = lines.map(({ at, line }) => `${at} ${plainLine(line)}\n`).join('');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface BoxProps {
  readonly lines: readonly Numbered[];
  readonly wraps: boolean;
  readonly empty: string;
}

function Box({ lines, wraps, empty }: BoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const scrolled = ({ currentTarget }: { currentTarget: HTMLDivElement }) => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  return (
    <div
      class={`card code output${wraps ? '' : ' unwrapped'}`}
      ref={box}
      onScroll={scrolled}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      role="log"
      aria-label="Output"
      aria-live="off"
    >
      {lines.length === 0 && <p class="faint">{empty}</p>}
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

  override render({ line: { at, stream, line, process } }: { line: Numbered }) {
    const text = plainLine(line);
    return (
      <p class={stream}>
        {text.trim() === '' ? (
          <span />
        ) : (
          <time dateTime={at} title={inFull(Date.parse(at))}>
            {timeOfDay(Date.parse(at))}
          </time>
        )}
        <span>
          {process && <b class="faint">{process} </b>}
          {text}
        </span>
      </p>
    );
  }
}
