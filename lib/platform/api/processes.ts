import { HttpError } from '../../http/http-error.ts';
import { ofApp, ok, type Routes } from '../http/route.ts';
import { checkedSnapshot } from '../store/names.ts';
import type { ApiParts } from './parts.ts';

/**
 * The routes of running applications: start, stop, restart, processes. Start and restart answer when the application
 * does.
 */
export function processRoutes(parts: ApiParts): Routes {
  const { apps, builder, runners, view } = parts;
  const handler = ofApp(apps);
  return {
    'POST /apps/:user/:app/start': handler(async (call, app) => {
      const { active } = await apps.get(app);
      const { snapshot = active } = await call.json();
      if (typeof snapshot !== 'string')
        throw new HttpError(400, 'The field snapshot is missing: which snapshot to start.');
      const id = checkedSnapshot(snapshot);
      await runners
        .of(app)
        .start(id)
        .finally(() => builder.started(app, id));
      return ok(await view(app));
    }),
    'POST /apps/:user/:app/restart': handler(async (_, app) => {
      await runners.of(app).restart();
      return ok(await view(app));
    }),
    'POST /apps/:user/:app/stop': handler(async (_, app) => {
      await runners.of(app).stop();
      return ok(await view(app));
    }),
    'GET /apps/:user/:app/processes': handler(async (_, app) => ok(await runners.of(app).processes())),
    'PATCH /apps/:user/:app/processes': handler(async (call, app) => {
      await runners.of(app).scale(await call.json());
      return ok(await runners.of(app).processes());
    }),
  };
}
