import type { App } from '../../model/app.ts';
import { hashOf } from '../../model/route.ts';
import { SERVICE } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Copy } from '../copy.tsx';

/** The badge of the application's repository, with the text that embeds it. */
export function EmbeddedBadge({ app }: { app: App }) {
  const { user } = useWorkspace().api;
  if (!app.repository) return null;
  const image = `${SERVICE}/1/badge/${encodeURIComponent(user)}/${encodeURIComponent(app.repository.name)}.svg`;
  const link = `${SERVICE}/${hashOf({ user, view: 'app', name: app.name })}`;
  const text = `[![deployment](${image})](${link})`;
  return (
    <section aria-labelledby="badge">
      <h2 id="badge">Badge</h2>
      <p class="muted">
        For the README of {app.repository.owner}/{app.repository.name}. It needs no login, and shows the outcome only.
      </p>
      <div class="card badge-card">
        <img src={image} alt="The badge" height={20} />
        <span class="copyable">
          <code>{text}</code>
          <Copy text={text} label="Copy the text" />
        </span>
      </div>
    </section>
  );
}
