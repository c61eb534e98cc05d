import { useEffect, useState } from 'preact/hooks';
import { type Found, searchOutput } from '../../client/search.ts';
import { inWords } from './api.ts';
import { useWorkspace } from './workspace.ts';

/** What a search in the stored output has found so far; `further` looks at what is before. */
export interface StoredSearch {
  readonly found: Found | null;
  readonly failure: string | null;
  readonly isBusy: boolean;
  readonly further: () => void;
}

/** Lines that are drawn without the page becoming slow. */
const LINES = 1000;
/** After the last key. */
const PAUSE_MS = 250;

/** Searches the stored output of an application at the service, once its reader has stopped typing; not for an empty text. */
export function useSearch(path: readonly string[], text: string): StoredSearch {
  const { api } = useWorkspace();
  const [found, setFound] = useState<Found | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [before, setBefore] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setFound(null);
    setBefore(null);
  }, [path.join('/'), text]);
  useEffect(() => {
    if (text === '') return;
    const stop = new AbortController();
    const ended = (change: () => void) => {
      if (stop.signal.aborted) return;
      setBusy(false);
      change();
    };
    const ask = () => {
      const query = { grep: text, lines: LINES, before: before ?? undefined };
      searchOutput(api, { path, query, signal: stop.signal }).then(
        (page) => ended(() => setFound((earlier) => (before === null ? page : joined(earlier, page)))),
        (error) => ended(() => setFailure(inWords(error))),
      );
    };
    setFailure(null);
    setBusy(true);
    const timer = setTimeout(ask, before === null ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path.join('/'), text, before]);
  return { found, failure, isBusy, further: () => setBefore(found?.next ?? null) };
}

function joined(earlier: Found | null, page: Found): Found {
  if (earlier === null) return page;
  const searched = { since: page.searched.since ?? earlier.searched.since, until: earlier.searched.until };
  return { lines: [...earlier.lines, ...page.lines], searched, next: page.next };
}
