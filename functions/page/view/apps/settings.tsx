import { useState } from 'preact/hooks';
import type { Application } from '../../../../lib/client/applications.ts';
import type { ChangedSettings, Settings } from '../../../api/shapes/applications.ts';
import { badgeOf, safeUrl } from '../../model/links.ts';
import { SERVICE } from '../../service/api.ts';
import { useForm } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Copy } from '../parts/copy.tsx';
import { External } from '../parts/link.tsx';
import { Domains } from './domains.tsx';
import { Remove } from './operations.tsx';

/** The settings of an application: its source, its badge, its removal. */
export function AppSettings({ app }: { app: Application }) {
  return (
    <>
      <Domains app={app} />
      <Source app={app} />
      <EmbeddedBadge app={app} />
      <section aria-labelledby="remove">
        <h2 id="remove">Remove</h2>
        <p class="muted">It stops, its files and variables are deleted, and its name is free again.</p>
        <div class="buttons">
          <Remove app={app} />
        </div>
      </section>
    </>
  );
}

function Source({ app: { name: app, repository, branch, pull_request } }: { app: Application }) {
  if (!repository) return null;
  const { owner, name, host } = repository;
  const url = 'url' in repository ? safeUrl(repository.url) : null;
  const path = 'path' in repository ? repository.path : undefined;
  return (
    <section aria-labelledby="source">
      <h2 id="source">Source</h2>
      <dl class="card settings-table">
        <div>
          <dt>Repository</dt>
          <dd class="copyable">
            <External url={url}>{`${owner}/${name}`}</External>
            <span class="faint">{host}</span>
          </dd>
        </div>
        {branch && (
          <div>
            <dt>Branch that is deployed</dt>
            <dd>{pull_request === undefined ? <Branch key={app} app={app} /> : <code>{branch}</code>}</dd>
          </div>
        )}
        {path && (
          <div>
            <dt>Folder</dt>
            <dd>
              <code>{path}</code>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** The branch that the application follows, and another one to follow. */
function Branch({ app }: { app: string }) {
  const { api, refreshApps } = useWorkspace();
  const [settings, setSettings] = useState<Settings | ChangedSettings | null>(null);
  const path = ['apps', api.user, app, 'settings'];
  const failure = useReading(() => api.call<Settings>({ path }).then(setSettings), app);
  const { action, submit } = useForm(async (fields) => {
    const body = { branch: String(fields.get('branch')).trim() };
    setSettings(await api.call<ChangedSettings>({ method: 'PATCH', path, body }));
    await refreshApps();
  });
  return (
    <form onSubmit={submit}>
      <code>{settings?.branch}</code>{' '}
      <input name="branch" aria-label="Another branch" placeholder="another branch" required spellcheck={false} />{' '}
      <button type="submit" class="small" disabled={action.isBusy}>
        Follow
      </button>
      <Alert text={failure ?? action.failure} />
      {settings && 'next' in settings && <p class="muted">{settings.next}</p>}
    </form>
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
