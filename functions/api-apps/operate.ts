import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { type FoundApp, foundApp, latestDeploy } from './found-app.ts';
import type { AppsPorts } from './ports.ts';
import { commitOf, record } from './record.ts';

/** `POST …/restart`: starts what the application runs again, also when it is stopped. */
export async function restart(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const found = started(await foundApp(request, ports));
  return record(request, operationOn(found, 'restart'), {}, ports);
}

/** `POST …/stop`: ends the application until it is restarted or deployed. Deploys under way do not start it again. */
export async function stop(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const found = started(await foundApp(request, ports));
  return record(request, operationOn(found, 'stop'), { overrules: found.app.app }, ports);
}

/** Returns the draft of an operation on what an application runs. */
export function operationOn({ app, name, active }: FoundApp, operation: 'restart' | 'stop') {
  return { ...commitOf(active), appName: name, stage: 'start', operation, snapshot: app.snapshot } as const;
}

/** `DELETE …/<application>`: removes it from the platform, and frees its name. Its log stays. */
export async function remove(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { app, name, active } = await foundApp(request, ports);
  // For the order among the deploys of its repository, the first of which may be under way.
  const last = active ?? (await latestDeploy(request.user, name, ports));
  const draft = { appName: name, stage: 'start', operation: 'remove', ...commitOf(last) } as const;
  return record(request, draft, { overrules: app.app }, ports);
}

/** Returns an application that has been started before. Throws `status:db:not_found`. */
function started(found: FoundApp): FoundApp {
  if (found.app.state !== 'never') return found;
  const detail = `${found.name} has not been deployed successfully yet, so there is nothing to restart or stop: push again, or redeploy its newest commit.`;
  throw new DeployError('status:db:not_found', detail);
}
