import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { type FoundApp, foundApp, latestDeploy } from './found-app.ts';
import type { AppsPorts } from './ports.ts';
import { commitOf, record } from './record.ts';

/** `POST …/restart`: starts what the application runs again, also when it is stopped. */
export async function restart(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { app, name, active } = started(await foundApp(request, ports));
  const commit = active ? commitOf(active) : {};
  const draft = { appName: name, stage: 'start', operation: 'restart', snapshot: app.snapshot, ...commit } as const;
  return record(request, draft, {}, ports);
}

/** `POST …/stop`: ends the application until it is restarted or deployed. Deploys under way do not start it again. */
export async function stop(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { app, name, active } = started(await foundApp(request, ports));
  const commit = active ? commitOf(active) : {};
  const draft = { appName: name, stage: 'start', operation: 'stop', snapshot: app.snapshot, ...commit } as const;
  return record(request, draft, { overrules: app.app }, ports);
}

/** `DELETE …/<application>`: removes it from the platform, and frees its name. Its log stays. */
export async function remove(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { app, name, active } = await foundApp(request, ports);
  // For the order among the deploys of its repository, the first of which may be under way.
  const last = active ?? (await latestDeploy(request.user, name, ports));
  const draft = { appName: name, stage: 'start', operation: 'remove', ...(last && commitOf(last)) } as const;
  return record(request, draft, { overrules: app.app }, ports);
}

/** Returns an application that has been started before. Throws `status:db:not_found`. */
function started(found: FoundApp): FoundApp {
  if (found.app.state !== 'never') return found;
  const detail = `${found.name} has not been deployed successfully yet, so there is nothing to restart or stop: push again, or redeploy its newest commit.`;
  throw new DeployError('status:db:not_found', detail);
}
