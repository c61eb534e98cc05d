import { OperatorError } from '../../files/errors.ts';
import { HttpError } from '../../http/http-error.ts';
import { appOf, type Call, NO_CONTENT, ofApp, ok, type Routes, userOf } from '../http/route.ts';
import type { StoredApp } from '../store/apps.ts';
import { type AppName, appSegment, checkedPackage } from '../store/names.ts';
import { tagOf } from '../store/variables.ts';
import type { AppShown, AppView } from './app-view.ts';
import type { ApiParts } from './parts.ts';

/** The calls about applications: list, create, read, update, remove, and their environment. */
export function appRoutes(parts: ApiParts): Routes {
  const { apps, variables, view } = parts;
  const handler = ofApp(apps);
  /** Does something to an application of which nothing runs or is built. */
  const ending = async (app: AppName, work: () => Promise<void>) => {
    await parts.builder.remove(app, async () => {
      await parts.runners.remove(app);
      await work();
    });
    // Requests meanwhile may have begun others.
    await parts.runners.remove(app);
  };
  return {
    'GET /apps/:user': async (call) => {
      const names = await apps.list(userOf(call));
      const shown = await Promise.all(names.map((name) => listed(name, view)));
      return ok({ apps: shown.flatMap((app) => app ?? []) });
    },
    'GET /apps/:user/:app': handler(async (_, app) => ok(await view(app))),
    'POST /apps/:user/:app': async (call) => {
      const app = appOf(call);
      await apps.create(app, await call.json(), scaleOf(call));
      return { status: 201, body: await view(app) };
    },
    'PUT /apps/:user/:app': async (call) => {
      const app = appOf(call);
      const { created } = await apps.put(app, await call.json(), scaleOf(call));
      return { status: created ? 201 : 200, body: await view(app) };
    },
    'POST /apps/:user/:app/rename': async (call) => {
      const app = appOf(call);
      const { name } = await call.json();
      const full = checkedPackage(typeof name === 'string' ? name : '');
      const to = { user: app.user, app: appSegment(full), full };
      const known = await apps.find(app);
      // Without it, it was renamed before.
      if (known && (known.name !== full || to.app !== app.app)) {
        await ending(app, () => apps.rename(app, full));
        await parts.domains.load();
        await parts.runners.begin(to);
      }
      return ok(await view(to));
    },
    'DELETE /apps/:user/:app': handler(async (_, app) => {
      await ending(app, () => apps.remove(app));
      parts.domains.forget(app);
      return NO_CONTENT;
    }),
    'GET /apps/:user/:app/env': handler(async ({ response }, app) => {
      const known = await variables.read(app);
      response.setHeader('etag', tagOf(known));
      return ok(known);
    }),
    'PUT /apps/:user/:app/env': handler(async (call, app) => ok(await variables.replace(app, await call.json()))),
    'PATCH /apps/:user/:app/env': handler(async (call, app) =>
      ok(await variables.merge(app, await call.json(), call.request.headers['if-match'])),
    ),
    'DELETE /apps/:user/:app/env/:key': handler(async (call, app) => {
      await variables.remove(app, call.param('key'));
      return NO_CONTENT;
    }),
  };
}

/** The scale of a new application. */
function scaleOf({ query }: Call): StoredApp['scale'] {
  const web = query.get('web');
  if (web === null) return {};
  if (web === 'auto') return { web };
  throw new HttpError(400, 'The parameter web must be auto.');
}

/**
 * A manifest may have 1 MB, which would make the list of some applications too long for its reader. Null for an
 * application that has been removed since the folders were read, or whose record is damaged, as the start has reported.
 */
async function listed(name: AppName, view: AppView): Promise<Omit<AppShown, 'manifest'> | null> {
  const found = await view(name).catch((error: unknown) => {
    if (error instanceof OperatorError || (error instanceof HttpError && error.status === 404)) return null;
    throw error;
  });
  if (found === null) return null;
  const { manifest: _, ...shown } = found;
  return shown;
}
