import type { Application } from '../../../../lib/client/applications.ts';
import { badgeOf } from '../../model/links.ts';
import { SERVICE } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Copy } from '../copy.tsx';

/** The badge of the application's repository, with the text that embeds it. */
export function EmbeddedBadge({ app }: { app: Application }) {
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
