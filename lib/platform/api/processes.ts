import type { SentProcesses } from '../../../functions/api/shapes/processes.ts';
import { jsonBody } from '../http/json-body.ts';
import { appOf, type Route } from '../http/route.ts';
import { HttpError } from '../http-error.ts';
import type { OneOffs } from '../run/jobs/one-offs.ts';
import { withMemory } from '../run/processes/process-list.ts';
import type { Runners } from '../run/runners.ts';
import type { Apps } from '../store/apps.ts';
import { type AppName, checkedSnapshot } from '../store/names.ts';
import type { AppView } from './app-view.ts';

/** Dependencies of the routes of processes. */
export interface ProcessRouteParts {
  readonly apps: Apps;
  readonly runners: Runners;
  readonly oneOffs: Pick<OneOffs, 'listed'>;
  readonly view: AppView;
  readonly bodyBytes: number;
}

/**
 * The routes of running applications: start, stop, restart, processes. Start and restart answer when the application
 * does.
 */
export function processRoutes(parts: ProcessRouteParts): readonly Route[] {
  const { apps, runners, view } = parts;
  const path = '/apps/:user/:app';
  return [
    {
      method: 'POST',
      path: `${path}/start`,
      run: async (call) => {
        const { active } = await apps.get(appOf(call));
        const { snapshot = active } = await jsonBody(call.request, parts.bodyBytes);
        if (typeof snapshot !== 'string')
          throw new HttpError(400, 'The field snapshot is missing: which snapshot to start.');
        await runners.of(appOf(call)).start(checkedSnapshot(snapshot));
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'POST',
      path: `${path}/restart`,
      run: async (call) => {
        await apps.get(appOf(call));
        await runners.of(appOf(call)).restart();
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'POST',
      path: `${path}/stop`,
      run: async (call) => {
        await apps.get(appOf(call));
        await runners.of(appOf(call)).stop();
        return { status: 200, body: await view(appOf(call)) };
      },
    },
    {
      method: 'GET',
      path: `${path}/processes`,
      run: async (call) => {
        await apps.get(appOf(call));
        return { status: 200, body: await processesOf(parts, appOf(call)) };
      },
    },
    {
      method: 'PATCH',
      path: `${path}/processes`,
      run: async (call) => {
        await apps.get(appOf(call));
        await runners.of(appOf(call)).scale(await jsonBody(call.request, parts.bodyBytes));
        return { status: 200, body: await processesOf(parts, appOf(call)) };
      },
    },
  ];
}

async function processesOf({ runners, oneOffs }: ProcessRouteParts, app: AppName): Promise<SentProcesses> {
  const { processes, ...more } = await runners.of(app).processes();
  return { processes: [...processes, ...(await withMemory(oneOffs.listed(app)))], ...more };
}
