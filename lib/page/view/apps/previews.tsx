import type { Application } from '../../../client/applications.ts';
import { idOf } from '../../../client/entry.ts';
import { type FoundPreview, previewsOf } from '../../../client/previews.ts';
import { safeUrl } from '../../model/links.ts';
import { rowsOf } from '../../model/log.ts';
import { shownPreview } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Branch } from '../parts/icons.tsx';
import { Link, OpenIcon } from '../parts/link.tsx';
import { Badge } from '../parts/status.tsx';

/** The previews of pull requests, as far as the applications and the log of all are known. */
export function usePreviews(): readonly FoundPreview[] {
  const { apps, log, loadMore } = useWorkspace();
  const shownLog = useStore(log);
  // The commit of a fork that is held has no application yet.
  useReading(async () => {
    if (!log.value.extents.has('')) await loadMore('');
  });
  return previewsOf(useStore(apps) ?? [], rowsOf(shownLog, { app: '', branch: '', statuses: [] }));
}

/** The previews of an application; nothing when it has none. */
export function Previews({ app }: { app: Application }) {
  const previews = usePreviews().filter(({ preview_of }) => preview_of === app.name);
  if (previews.length === 0) return null;
  return (
    <section aria-labelledby="previews">
      <h2 id="previews">Previews</h2>
      <ul class="rows card">
        {previews.map((preview) => (
          <Line key={preview.name} preview={preview} />
        ))}
      </ul>
    </section>
  );
}

function Line({ preview }: { preview: FoundPreview }) {
  const { name, pull_request, title, author, branch, state, app, entry } = preview;
  const shown = shownPreview(state);
  const at =
    app === null && entry ? ({ view: 'deploy', name: idOf(entry) } as const) : ({ view: 'app', name } as const);
  return (
    <li class="grid row">
      <div class="flow">
        <Badge shown={shown} />
      </div>
      <div class="row-what">
        <Link class="flow row-link" to={at}>
          <strong class="ellipsis">{title || name}</strong>
          <span class="ellipsis message muted">{author}</span>
        </Link>
      </div>
      <div class="row-source stack">{branch && <Branch name={branch} />}</div>
      <div class="muted note row-when">
        <OpenIcon url={safeUrl(preview.url)} name={name} />
        <span class="faint number">PR #{pull_request}</span>
      </div>
    </li>
  );
}
