import { useState } from 'preact/hooks';
import type { Application } from '../../../../lib/client/applications.ts';
import { idOf } from '../../../../lib/client/entry.ts';
import { badgeOf, safeUrl } from '../../model/links.ts';
import { rowsOf } from '../../model/log.ts';
import { hashOf } from '../../model/route.ts';
import { shownState } from '../../model/status.ts';
import { SERVICE } from '../../service/api.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Row } from '../deploys/row.tsx';
import { Skeleton } from '../deploys/skeleton.tsx';
import { Alert } from '../parts/alert.tsx';
import { Copy } from '../parts/copy.tsx';
import { Glyph } from '../parts/icons.tsx';
import { Output } from '../parts/output.tsx';
import { Badge } from '../parts/status.tsx';
import { useTitle } from '../parts/title.ts';
import { Operations } from './operations.tsx';
import { Variables } from './variables.tsx';

/** One application: what it runs, its variables, its output, its last deploys. */
export function AppView({ name }: { name: string }) {
  const { api, apps, refreshApps } = useWorkspace();
  const known = useStore(apps);
  const app = known?.find((one) => one.name === name) ?? null;
  const [looked, setLooked] = useState(false);
  useTitle(name);
  const failure = useReading(() => refreshApps().then(() => setLooked(true)), name);
  return (
    <article class="page">
      <a class="back" href={hashOf({ user: api.user, view: 'apps' })}>
        <Glyph name="back" size={14} />
        Applications
      </a>
      {app ? <Known app={app} /> : known && looked ? <Unknown name={name} /> : <Awaited failure={failure} />}
    </article>
  );
}

/** In the place of what is being read, or why it cannot be. */
function Awaited({ failure }: { failure: string | null }) {
  if (failure === null) return <Skeleton rows={5} />;
  return <Alert text={failure} />;
}

function Unknown({ name }: { name: string }) {
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
      </div>
      <p class="card nothing">
        There is no application of this name. It may have been removed; its deploys stay in the log.
      </p>
    </>
  );
}

function Known({ app }: { app: Application }) {
  const url = safeUrl(app.url);
  return (
    <>
      <header class="title">
        <div>
          <h1>{app.name}</h1>
          <p class="message">
            {url ? (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {url}
              </a>
            ) : (
              'It has not been started yet.'
            )}
          </p>
        </div>
        <Badge shown={shownState(app.state)} />
      </header>
      <Operations app={app} />
      <LastDeploys app={app} />
      {app.state !== 'never' && (
        <section class="logs" aria-labelledby="output-title">
          <h2 id="output-title">Output</h2>
          <Output
            path={['apps', useWorkspace().api.user, app.name, 'logs']}
            lines={500}
            empty="It has printed nothing."
          />
        </section>
      )}
      <Variables app={app} />
      <EmbeddedBadge app={app} />
    </>
  );
}

const SHOWN = 5;

function LastDeploys({ app }: { app: Application }) {
  const { api, log, loadMore } = useWorkspace();
  const known = useStore(log);
  const failure = useReading(async () => {
    if (!log.value.extents.has(app.name)) await loadMore(app.name);
  }, app.name);
  const rows = rowsOf(known, { app: app.name, branch: '', statuses: [] }).slice(0, SHOWN);
  if (!known.extents.has(app.name)) return <Awaited failure={failure} />;
  return (
    <section aria-labelledby="last">
      <div class="heading">
        <h2 id="last">Deploys</h2>
        <a href={hashOf({ user: api.user, view: 'deploys', query: { app: app.name } })}>Show all</a>
      </div>
      {rows.length === 0 ? (
        <p class="card nothing">It was never deployed.</p>
      ) : (
        <ul class="rows card">
          {rows.map((entry) => (
            <Row
              key={idOf(entry)}
              entry={entry}
              user={api.user}
              isCurrent={app.active !== null && idOf(app.active) === idOf(entry)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The badge of the application's repository, with the text that embeds it. */
function EmbeddedBadge({ app }: { app: Application }) {
  const { user } = useWorkspace().api;
  const badge = badgeOf(app, { service: SERVICE, user });
  if (!app.repository || !badge) return null;
  return (
    <section aria-labelledby="badge">
      <h2 id="badge">Badge</h2>
      <p class="muted">
        For the README of {app.repository.owner}/{app.repository.name}. It needs no login, and shows the outcome only.
      </p>
      <div class="card badge-card">
        <img src={badge.image} alt="The badge" height={20} />
        <span class="copyable">
          <code>{badge.markdown}</code>
          <Copy text={badge.markdown} label="Copy the text" />
        </span>
      </div>
    </section>
  );
}
