import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { appRef } from '../core/app-ref.ts';
import { accepted, awaited } from '../core/entry/answer.ts';
import { DeployError } from '../core/errors.ts';
import { preferredWait } from '../core/prefer.ts';
import { compareApp } from '../core/reconcile/compare.ts';
import type { AppsPorts } from './ports.ts';

/**
 * `POST …/reconcile`: compares the application with the tip of the branch that its pushes deploy. A commit that no
 * webhook has brought is deployed, and answered with its entry as a webhook call is; else the answer says why there is
 * none. Throws `deploy:repohost:no_pkg_json` when the repository host does not answer, or does not show the repository.
 */
export async function reconcile(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { uuid, base } = request;
  const app = await ports.tracked.tracked(appRef(request));
  if (!app) {
    const detail = 'No push of that application has been deployed, so there is no branch to compare it with.';
    throw new DeployError('status:db:not_found', detail);
  }
  const at = ports.clock.now();
  const { tip, entry, reason } = await compareApp(
    app,
    { uuid, base, at },
    { ...ports, appFacts: ports.facts, facts: ports.owners },
  );
  // Only a hint for the schedule, so it must not fail the request.
  await ports.tracked
    .compared(app, { at, dueAt: at + HOUR_MS })
    .catch((error: unknown) => ports.trace('comparison not kept', { error }));
  if (!entry) return { status: 200, body: { app_name: app.app, branch: app.branch, tip, reason } };
  const wait = preferredWait(request.headers.prefer);
  return wait === null ? accepted(entry) : awaited(entry, wait, ports);
}

const HOUR_MS = 60 * 60_000;
