import { useState } from 'preact/hooks';
import type { Application } from '../../../client/applications.ts';
import { safeUrl } from '../../model/links.ts';
import { hashOf } from '../../model/route.ts';
import { shownState } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Awaited } from '../deploys/skeleton.tsx';
import { Copy } from '../parts/copy.tsx';
import { Back, External } from '../parts/link.tsx';
import { AppOutput } from '../parts/output.tsx';
import { Badge } from '../parts/status.tsx';
import { useTitle } from '../parts/title.ts';
import { LastDeploys } from './last-deploys.tsx';
import { Operations } from './operations.tsx';
import { Previews } from './previews.tsx';
import { Processes } from './processes.tsx';
import { AppSettings } from './settings.tsx';
import { Variables } from './variables.tsx';

/** The parts of an application's view, each with an address of its own. */
const PARTS = [
  ['', 'Overview'],
  ['variables', 'Variables'],
  ['settings', 'Settings'],
] as const;

/** One application: what it runs, its deploys and output; its variables; its settings. */
export function AppView({ name, show }: { name: string; show: string }) {
  const { apps, refreshApps } = useWorkspace();
  const listed = useStore(apps);
  const app = listed?.find((one) => one.name === name) ?? null;
  const [looked, setLooked] = useState(false);
  useTitle(name);
  const failure = useReading(() => refreshApps().then(() => setLooked(true)), name);
  return (
    <article class="page">
      <Back to={{ view: 'apps' }}>Applications</Back>
      {app ? (
        <Known app={app} show={show} />
      ) : listed && looked ? (
        <Unknown name={name} />
      ) : (
        <Awaited failure={failure} rows={5} />
      )}
    </article>
  );
}

function Unknown({ name }: { name: string }) {
  return (
    <>
      <div class="title flow split wrap">
        <h1>{name}</h1>
      </div>
      <p class="card nothing">
        There is no application of this name. It may have been removed; its deploys stay in the log.
      </p>
    </>
  );
}

function Known({ app, show }: { app: Application; show: string }) {
  const { user } = useWorkspace().api;
  const url = safeUrl(app.url);
  const link = (part: string) => hashOf({ user, view: 'app', name: app.name, query: { show: part } });
  return (
    <>
      <header class="title flow split wrap">
        <div>
          <h1>{app.name}</h1>
          <p>
            {url ? (
              <>
                <External url={url}>{url}</External>
                <Copy text={url} label="Copy the address" />
              </>
            ) : (
              'It has not been started yet.'
            )}
          </p>
        </div>
        <Badge shown={shownState(app.state)} />
      </header>
      <Operations app={app} />
      <nav class="parts" aria-label={`Parts of ${app.name}`}>
        {PARTS.map(([part, label]) => (
          <a key={part} href={link(part)} aria-current={part === show ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Part app={app} show={show} />
    </>
  );
}

function Part({ app, show }: { app: Application; show: string }) {
  if (show === 'variables') return <Variables app={app} />;
  if (show === 'settings') return <AppSettings app={app} />;
  return (
    <>
      <LastDeploys app={app} />
      <Previews app={app} />
      {app.state !== 'never' && <Processes app={app} />}
      {app.state !== 'never' && <Printed app={app} />}
    </>
  );
}

function Printed({ app }: { app: Application }) {
  return (
    <section aria-labelledby="output-title">
      <h2 id="output-title">Output</h2>
      <AppOutput app={app.name} />
    </section>
  );
}
