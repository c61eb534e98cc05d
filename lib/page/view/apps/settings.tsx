import type { Application } from '../../../client/applications.ts';
import { badgeOf, safeUrl } from '../../model/links.ts';
import { SERVICE } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Copy } from '../parts/copy.tsx';
import { External } from '../parts/link.tsx';
import { Choices } from './choices.tsx';
import { Domains } from './domains.tsx';
import { Environments } from './environments.tsx';
import { Remove } from './operations.tsx';

/** The settings of an application: its source, how it is built and started, its badge, its removal. */
export function AppSettings({ app }: { app: Application }) {
  return (
    <>
      <Domains app={app} />
      <Source app={app} />
      <Environments app={app} />
      <Choices app={app} />
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

function Source({ app: { repository } }: { app: Application }) {
  if (!repository) return null;
  const { owner, name, host } = repository;
  const url = 'url' in repository ? safeUrl(repository.url) : null;
  const path = 'path' in repository ? repository.path : undefined;
  return (
    <section aria-labelledby="source">
      <h2 id="source">Source</h2>
      <dl class="card table">
        <div class="grid line">
          <dt>Repository</dt>
          <dd class="flow split">
            <External url={url}>{`${owner}/${name}`}</External>
            <span class="faint">{host}</span>
          </dd>
        </div>
        {path && (
          <div class="grid line">
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
      <div class="card panel stack">
        <img src={badge.image} alt="The badge" height={20} />
        <span class="copyable">
          <code>{badge.markdown}</code>
          <Copy text={badge.markdown} label="Copy the text" />
        </span>
      </div>
    </section>
  );
}
