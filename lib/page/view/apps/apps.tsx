import { useState } from 'preact/hooks';
import type { Application } from '../../../client/applications.ts';
import { type Entry, hasEnded, idOf, numberOf } from '../../../client/entry.ts';
import { memoryText } from '../../../client/processes.ts';
import { badgeOf, safeUrl } from '../../model/links.ts';
import { newestOf } from '../../model/log.ts';
import { shownState, shownStatus } from '../../model/status.ts';
import { SERVICE } from '../../service/api.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { FirstRun } from '../deploys/empty.tsx';
import { Alert } from '../parts/alert.tsx';
import { Copy } from '../parts/copy.tsx';
import { Branch, Glyph, Mark } from '../parts/icons.tsx';
import { External, Link } from '../parts/link.tsx';
import { Moment } from '../parts/moment.tsx';
import { Badge } from '../parts/status.tsx';
import { useTitle } from '../parts/title.ts';
import { usePreviews } from './previews.tsx';
import { SearchField } from './search-field.tsx';

/** All applications of the user: the state, the address and the last deploy of each. */
export function Apps() {
  const { apps, log, refreshApps } = useWorkspace();
  const all = useStore(apps);
  const changes = useStore(log);
  useTitle('Applications');
  // The platform also starts and stops applications without a request.
  const failure = useReading(refreshApps);
  // Reads the log too, of which a card shows the last deploy, which may have failed.
  const previews = usePreviews();
  const names = new Set(all?.map(({ name }) => name));
  // A preview is listed under what it previews, unless that was removed.
  const parents = all?.filter(({ preview_of }) => !names.has(preview_of ?? '')) ?? [];
  const [text, setText] = useState('');
  const found = failingFirst(
    parents.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())),
    (app) => newestOf(changes, app.name),
  );
  return (
    <div class="page">
      <div class="title flow split wrap">
        <h1>Applications</h1>
        {all && all.length > 0 && (
          <Link class="button primary" to={{ view: 'new' }}>
            New application
          </Link>
        )}
      </div>
      {!all && <Alert text={failure} />}
      {!all && !failure && <Loading />}
      {all?.length === 0 && <FirstRun />}
      {parents.length > 0 && <SearchField text={text} onText={setText} />}
      {text !== '' && found.length === 0 && <p class="muted">{`No application has “${text}” in its name.`}</p>}
      {all && all.length > 0 && (
        <ul class="app-cards grid">
          {found.map(({ app, last }) => (
            <Card
              key={app.name}
              app={app}
              last={last}
              previews={previews.filter(({ preview_of }) => preview_of === app.name).length}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface Found {
  readonly app: Application;
  readonly last: Entry | null;
}

/** Returns the applications with their last deploys; those that have crashed, or whose last deploy has failed, come first. */
function failingFirst(all: readonly Application[], lastOf: (app: Application) => Entry | null): readonly Found[] {
  const found = all.map((app) => ({ app, last: lastOf(app) }));
  const isFailing = ({ app, last }: Found) =>
    [shownState(app.state), ...(last ? [shownStatus(last)] : [])].some(({ tone }) => tone === 'bad');
  return [...found.filter(isFailing), ...found.filter((one) => !isFailing(one))];
}

/** The place of the cards while they are read, as large as they will be. */
function Loading() {
  return (
    <div class="app-cards grid skeleton" aria-busy="true">
      <span class="visually-hidden" role="status">
        Loading…
      </span>
      {[1, 2, 3].map((place) => (
        <div key={place} class="card" aria-hidden="true" />
      ))}
    </div>
  );
}

interface CardProps {
  readonly app: Application;
  /** Its newest entry; null when that is older than what is known of the log. */
  readonly last: Entry | null;
  readonly previews: number;
}

function Card({ app, last, previews }: CardProps) {
  const { api, newestEntry, log } = useWorkspace();
  const { user } = api;
  const [older, setOlder] = useState<Entry | null>(null);
  const hasRead = useStore(log).extents.has('');
  const isOlder = last === null && hasRead;
  const shown = last ?? older ?? app.active;
  useReading(async () => isOlder && setOlder(await newestEntry(app.name)), String(isOlder));
  const url = safeUrl(app.url);
  const badge = badgeOf(app, { service: SERVICE, user });
  return (
    <li class="app-card card stack">
      <div class="flow split">
        <h2 class="ellipsis">
          <Link class="row-link" to={{ view: 'app', name: app.name }}>
            {app.name}
          </Link>
        </h2>
        <Badge shown={shownState(app.state)} />
      </div>
      <p class="address flow">
        {url ? (
          <External class="above flow muted" url={url}>
            {url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
            <Glyph name="open" size={14} />
          </External>
        ) : (
          <span class="faint">No address</span>
        )}
      </p>
      <Last entry={shown} />
      <p class="app-foot flow muted note">
        {app.branch && <Branch name={app.branch} />}
        {shown?.doc && <Moment at={shown.doc.received_at} />}
        {app.used && <Used {...app.used} />}
        {previews > 0 && <span>{previews === 1 ? '1 preview' : `${previews} previews`}</span>}
        {badge && (
          <span class="above badge-copy flow">
            Badge
            <Copy text={badge.markdown} label={`Copy the badge of ${app.name}`} />
          </span>
        )}
      </p>
    </li>
  );
}

/** What it has used in the last hour. */
function Used({ requests, memory }: NonNullable<Application['used']>) {
  const parts = [requests === 1 ? '1 request/h' : `${requests} requests/h`, memory === null ? [] : memoryText(memory)];
  return <span>{parts.flat().join(', ')}</span>;
}

/** The last deploy: its outcome, its message, and why it is not live. */
function Last({ entry }: { entry: Entry | null }) {
  if (!entry) return <div class="last" />;
  const { label, shape, tone } = shownStatus(entry);
  const why = entry.status === 'ok' ? null : (entry.reason ?? (hasEnded(entry) ? null : label));
  return (
    <div class="last">
      <Link class="above flow" to={{ view: 'deploy', name: idOf(entry) }}>
        <Mark shape={shape} tone={tone} size={14} />
        <span class="visually-hidden">{`Last deploy, ${label}: `}</span>
        <span class="ellipsis">{entry.doc?.message ?? `#${numberOf(entry)}`}</span>
      </Link>
      <p class={`reason note ${tone === 'bad' ? 'bad' : 'muted'}`}>{why}</p>
    </div>
  );
}
