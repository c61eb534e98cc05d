import { useEffect, useState } from 'preact/hooks';
import { idOf } from '../../../client/entry.ts';
import { hasMore, rowsOf } from '../../model/log.ts';
import { statusGroups } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useAction } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Glyph } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { useTitle } from '../parts/title.ts';
import { FirstRun, NothingHappened } from './empty.tsx';
import { Filters } from './filters.tsx';
import { Rows } from './rows.tsx';
import { Skeleton } from './skeleton.tsx';

/** Further pages of a filtered list are loaded until WANTED_ROWS match or MAX_LOOKED_AT were read. */
const WANTED_ROWS = 20;
const MAX_LOOKED_AT = 500;

/** The log of all applications, newest first, as it changes. */
export function Deploys({ query }: { query: Readonly<Record<string, string>> }) {
  const workspace = useWorkspace();
  const log = useStore(workspace.log);
  const apps = useStore(workspace.apps);
  const [help, setHelp] = useState(false);
  const { app = '', status = '', branch = '' } = query;
  const list = useList(app);
  useTitle('Deploys');
  // After a change of the filter the help is closed, which would push the rows off the screen.
  useEffect(() => setHelp(false), [app, status, branch]);

  const rows = rowsOf(log, { app, branch, statuses: statusGroups[status]?.statuses ?? [] });
  const extent = log.extents.get(app);
  const more = hasMore(log, app);
  const isFiltered = app !== '' || status !== '' || branch !== '';
  const looksFurther = isFiltered && more && rows.length < WANTED_ROWS && (extent?.read ?? 0) < MAX_LOOKED_AT;
  useEffect(() => {
    if (looksFurther && !list.isBusy && !list.failure) list.more();
  });
  const current = new Set(apps?.flatMap((one) => (one.active ? [idOf(one.active)] : [])));
  const isEmpty = extent !== undefined && log.entries.size === 0;

  return (
    <div class="page">
      <div class="title flow split wrap">
        <h1>Deploys</h1>
        {!isEmpty && (
          <div class="buttons">
            <button type="button" class="quiet" aria-expanded={help} onClick={() => setHelp(!help)}>
              <Glyph name="help" />
              My push did nothing
            </button>
            <Link class="button" to={{ view: 'new' }}>
              New application
            </Link>
          </div>
        )}
      </div>
      {help && !isEmpty && <NothingHappened />}
      {isEmpty ? (
        <FirstRun />
      ) : (
        <>
          <Filters query={{ app, status, branch }} />
          {list.failure && (
            <p class="alert bad tinted" role="alert">
              {list.failure}{' '}
              <button type="button" onClick={list.more}>
                Try again
              </button>
            </p>
          )}
          {extent === undefined ? (
            !list.failure && <Skeleton rows={8} />
          ) : rows.length === 0 && !looksFurther ? (
            <p class="card muted nothing">
              No deploy matches. <Link to={{ view: 'deploys' }}>Show all</Link>
            </p>
          ) : (
            <Rows rows={rows} current={current} />
          )}
          {extent && (
            <p class="flow more">
              {more && (
                <button type="button" onClick={list.more} disabled={list.isBusy}>
                  {list.isBusy ? 'Loading…' : 'Show older deploys'}
                </button>
              )}
              <span class="faint">{countOf(rows.length, isFiltered, Math.max(extent.total, rows.length))}</span>
            </p>
          )}
        </>
      )}
    </div>
  );
}

function countOf(shown: number, isFiltered: boolean, total: number): string {
  return isFiltered ? `${shown} shown` : `${shown} of ${total}`;
}

/** Reads the list of an application ('' for all): its first page at once, more when asked. */
function useList(app: string) {
  const { loadMore, log } = useWorkspace();
  const { isBusy, failure, run } = useAction();
  const notRead = useReading(async () => {
    if (!log.value.extents.has(app)) await loadMore(app);
  }, app);
  const more = () => void run(() => loadMore(app));
  return { isBusy, failure: failure ?? (log.value.extents.has(app) ? null : notRead), more };
}
