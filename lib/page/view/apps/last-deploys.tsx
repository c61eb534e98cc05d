import type { Application } from '../../../client/applications.ts';
import { idOf } from '../../../client/entry.ts';
import { rowsOf } from '../../model/log.ts';
import { isEvent } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Row } from '../deploys/row.tsx';
import { Awaited } from '../deploys/skeleton.tsx';
import { Link } from '../parts/link.tsx';

const SHOWN = 5;

/** The last deploys of an application. Restarts, stops and removals between them are events, and take a line. */
export function LastDeploys({ app }: { app: Application }) {
  const { log, loadMore } = useWorkspace();
  const shownLog = useStore(log);
  const failure = useReading(async () => {
    if (!log.value.extents.has(app.name)) await loadMore(app.name);
  }, app.name);
  const all = rowsOf(shownLog, { app: app.name, branch: '', statuses: [] });
  const deploys = all.filter((entry) => !isEvent(entry)).slice(0, SHOWN);
  const [last] = deploys.slice(-1);
  const [event] = all;
  const rows = last ? all.slice(0, all.indexOf(last) + 1) : all.slice(0, SHOWN);
  // Of events the newest is shown, which says how the application is now, and what fails.
  const shown = rows.filter((entry) => !isEvent(entry) || entry === event || entry.status === 'crashed');
  if (!shownLog.extents.has(app.name)) return <Awaited failure={failure} rows={SHOWN} />;
  return (
    <section aria-labelledby="last">
      <div class="flow split">
        <h2 id="last">Deploys</h2>
        <Link to={{ view: 'deploys', query: { app: app.name } }}>Show all, with restarts</Link>
      </div>
      {shown.length === 0 ? (
        <p class="card muted nothing">It was never deployed.</p>
      ) : (
        <ul class="rows card">
          {shown.map((entry) => (
            <Row key={idOf(entry)} entry={entry} isCurrent={app.active !== null && idOf(app.active) === idOf(entry)} />
          ))}
        </ul>
      )}
    </section>
  );
}
