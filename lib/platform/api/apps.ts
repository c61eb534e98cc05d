import type { Builder } from '../build/builder.ts';
import { jsonBody } from '../http/json-body.ts';
import { appOf, type Call, type Route, userOf } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { OneOffs } from '../run/jobs/one-offs.ts';
import type { Runners } from '../run/runners.ts';
import type { Apps, StoredApp } from '../store/apps.ts';
import type { Domains } from '../store/domains.ts';
import type { AppName } from '../store/names.ts';
import type { VariableStore } from '../store/variables.ts';
import type { AppShown, AppView } from './app-view.ts';

/** Dependencies of the routes of applications. */
export interface AppRouteParts {
  readonly apps: Apps;
  readonly builder: Builder;
  readonly runners: Runners;
  readonly oneOffs: Pick<OneOffs, 'end'>;
  readonly variables: VariableStore;
  readonly domains: Domains;
  readonly view: AppView;
  readonly bodyBytes: number;
}

/** The calls about applications: list, create, read, update, remove, and their environment. */
export function appRoutes(parts: AppRouteParts): readonly Route[] {
  const { apps, view, bodyBytes } = parts;
  return [
    {
      method: 'GET',
      path: '/apps/:user',
      run: async (call) => {
        const names = await apps.list(userOf(call));
        const shown = await Promise.all(names.map((name) => listed(name, view)));
        return { status: 200, body: { apps: shown.flatMap((app) => app ?? []) } };
      },
    },
    { method: 'GET', path: '/apps/:user/:app', run: async (call) => ({ status: 200, body: await view(appOf(call)) }) },
    {
      method: 'POST',
      path: '/apps/:user/:app',
      run: async (call) => {
        await apps.create(appOf(call), await jsonBody(call.request, bodyBytes), scaleOf(call));
        return { status: 201, body: await view(appOf(call)) };
      },
    },
    {
      method: 'PUT',
      path: '/apps/:user/:app',
      run: async (call) => {
        const { created } = await apps.put(appOf(call), await jsonBody(call.request, bodyBytes), scaleOf(call));
        return { status: created ? 201 : 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'DELETE',
      path: '/apps/:user/:app',
      run: async (call) => {
        const app = appOf(call);
        await apps.get(app);
        await parts.builder.remove(app, async () => {
          await Promise.all([parts.runners.remove(app), parts.oneOffs.end(app)]);
          await apps.remove(app);
        });
        // A request meanwhile may have made another one.
        await parts.runners.remove(app);
        parts.domains.forget(app);
        return { status: 204 };
      },
    },
    ...variableRoutes(parts),
  ];
}

/** What an application that is created begins with. */
function scaleOf({ query }: Call): StoredApp['scale'] {
  const web = query.get('web');
  if (web === null) return {};
  if (web === 'auto') return { web };
  throw new HttpError(400, 'The parameter web must be auto.');
}

/**
 * A manifest may have 1 MB, which would make the list of some applications too long for its reader. Null for an
 * application that has been removed since the folders were read.
 */
async function listed(name: AppName, view: AppView): Promise<Omit<AppShown, 'manifest'> | null> {
  const found = await view(name).catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 404) return null;
    throw error;
  });
  if (found === null) return null;
  const { manifest: _, ...shown } = found;
  return shown;
}

function variableRoutes({ apps, variables, bodyBytes }: AppRouteParts): readonly Route[] {
  const path = '/apps/:user/:app/env';
  return [
    {
      method: 'GET',
      path,
      run: async (call) => {
        await apps.get(appOf(call));
        return { status: 200, body: await variables.read(appOf(call)) };
      },
    },
    {
      method: 'PUT',
      path,
      run: async (call) => {
        await apps.get(appOf(call));
        return { status: 200, body: await variables.replace(appOf(call), await jsonBody(call.request, bodyBytes)) };
      },
    },
    {
      method: 'PATCH',
      path,
      run: async (call) => {
        await apps.get(appOf(call));
        return { status: 200, body: await variables.merge(appOf(call), await jsonBody(call.request, bodyBytes)) };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:key`,
      run: async (call) => {
        await apps.get(appOf(call));
        await variables.remove(appOf(call), call.param('key'));
        return { status: 204 };
      },
    },
  ];
}
