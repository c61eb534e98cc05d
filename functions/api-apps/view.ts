import type { SentApplication } from '../api/shapes/applications.ts';
import { row, type View } from '../core/entry/views.ts';
import type { Application } from '../core/ports/apps/applications.ts';
import type { AppHistory } from './history.ts';

/** Returns an application as the API shows it. */
export function viewOf(app: Application, { active, earlier, owner }: AppHistory, view: View): SentApplication {
  return {
    name: app.name,
    app: app.app,
    repository: active?.repository ?? owner,
    branch: active?.branch ?? null,
    state: app.state,
    url: app.url,
    active: active && row(active, view),
    rollback: earlier.map((entry) => row(entry, view)),
  };
}
