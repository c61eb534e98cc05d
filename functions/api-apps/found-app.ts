import type { HttpRequest } from '../api/http.ts';
import { appRef, required } from '../core/app-ref.ts';
import { appName } from '../core/entry/package-name.ts';
import type { Application } from '../core/ports/apps/applications.ts';
import { type AppHistory, historyOf } from './history.ts';
import type { AppsPorts } from './ports.ts';

/** An application of the user, with the deploys that still matter. */
export interface FoundApp extends AppHistory {
  readonly app: Application;
  /** The name in package.json, by which the log knows it. */
  readonly name: string;
}

/**
 * Returns the application that a path names. Throws `status:db:not_found`, and `request:failed` without the platform.
 */
export async function foundApp(
  request: HttpRequest,
  ports: Pick<AppsPorts, 'applications' | 'facts' | 'reader' | 'owners'>,
): Promise<FoundApp> {
  const [found, facts] = await Promise.all([ports.applications.find(appRef(request)), ports.facts.apps(request.user)]);
  const app = required(found, request);
  const history = await historyOf(app, facts, ports);
  return { app, name: history.active?.appName ?? app.name, ...history };
}

/** Returns the name in package.json of an application that has entries, whether the platform knows it or not. */
export async function nameInLog(request: HttpRequest, { facts }: Pick<AppsPorts, 'facts'>): Promise<string> {
  const { app } = appRef(request);
  const known = await facts.apps(request.user);
  return required(known.find(({ name, entries }) => entries > 0 && appName(name) === app) ?? null, request).name;
}
