import { useEffect, useState } from 'preact/hooks';
import type { App } from '../../model/app.ts';
import { safeUrl } from '../../model/links.ts';
import { hashOf } from '../../model/route.ts';
import { shownState } from '../../model/status.ts';
import { inWords } from '../../service/actions.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { FirstRun } from '../deploys/empty.tsx';
import { Skeleton } from '../deploys/skeleton.tsx';
import { Glyph } from '../icons.tsx';
import { Moment } from '../moment.tsx';
import { Badge } from '../status.tsx';
import { useTitle } from '../title.ts';

/** All applications of the user: the state, the address and the last deploy of each. */
export function Apps() {
  const { api, apps, refreshApps } = useWorkspace();
  const known = useStore(apps);
  const [failure, setFailure] = useState<string | null>(null);
  useTitle('Applications');
  useEffect(() => {
    // The platform starts and stops applications by itself too.
    refreshApps().catch((error) => setFailure(inWords(error)));
  }, []);
  return (
    <div class="page">
      <div class="title">
        <h1>Applications</h1>
      </div>
      {failure && !known && (
        <p class="alert" role="alert">
          {failure}
        </p>
      )}
      {!known && !failure && <Skeleton rows={3} />}
      {known?.length === 0 && <FirstRun user={api.user} />}
      {known && known.length > 0 && (
        <ul class="app-cards">
          {known.map((app) => (
            <Card key={app.name} app={app} user={api.user} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Card({ app, user }: { app: App; user: string }) {
  const url = safeUrl(app.url);
  return (
    <li class="card app-card">
      <div class="app-head">
        <h2>
          <a class="row-link" href={hashOf({ user, view: 'app', name: app.name })}>
            {app.name}
          </a>
        </h2>
        <Badge shown={shownState(app.state)} />
      </div>
      <p class="address">
        {url ? (
          <a class="above" href={url} target="_blank" rel="noopener noreferrer">
            {url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
            <Glyph name="open" size={14} />
          </a>
        ) : (
          <span class="faint">No address yet</span>
        )}
      </p>
      <p class="message">{app.active?.doc?.message ?? ''}</p>
      <p class="app-foot">
        {app.branch && (
          <span class="ref">
            <Glyph name="branch" size={14} />
            <span class="visually-hidden">Branch </span>
            <span class="ellipsis">{app.branch}</span>
          </span>
        )}
        {app.active?.doc && <Moment at={app.active.doc.received_at} />}
      </p>
    </li>
  );
}
