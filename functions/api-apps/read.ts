import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { applicationPage, fitting, pageIn, pageLinks } from '../api/paging.ts';
import { includeDocs, oneOf } from '../api/parameters.ts';
import type { SentApplication } from '../api/shapes/applications.ts';
import { row, type View } from '../api/views.ts';
import { foundApp } from '../core/apps/found-app.ts';
import { type AppHistory, historyOf } from '../core/apps/history.ts';
import { forEachLimit } from '../core/concurrency.ts';
import type { AppOwner } from '../core/entry/app-owner.ts';
import type { Application } from '../core/ports/applications.ts';
import type { AppsPorts } from './ports.ts';

/** Applications that are read at a time: each takes a call of the platform and some reads of the log. */
const MAX_AT_A_TIME = 8;

/**
 * `GET /1/apps/<user>`: a page of the user's applications, sorted by name. It has fewer than were asked for when more
 * would not fit into an answer.
 */
export async function list(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const { user, query, base } = request;
  const view = { base, docs: oneOf(query, includeDocs) };
  const { skip, limit } = pageIn(query, applicationPage);
  // A disk that cannot be looked at keeps nobody from the applications.
  const seen = ports.machine?.().catch(() => undefined);
  const [all, machine] = await Promise.all([ports.applications.list(user), seen]);
  const asked = all.slice(skip, skip + limit);
  const shown = new Map<string, SentApplication>();
  const failures: unknown[] = [];
  await forEachLimit(asked, MAX_AT_A_TIME, async (app) => {
    try {
      const history = await historyOf(app, await ports.appFacts.named(user, app.app), ports);
      shown.set(app.app, viewOf(await answering(app, history, ports), history, view));
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
  const apps = fitting(asked.map(({ app }) => shown.get(app)));
  const [total, next] = [all.length, skip + apps.length];
  const body = { total, skip, limit, ...(machine && { machine }), apps };
  return { status: 200, headers: pageLinks(request, { skip, limit, next }, total), body };
}

/** `GET /1/apps/<user>/<application>`: one of them. */
export async function show(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const view = { base: request.base, docs: oneOf(request.query, includeDocs) };
  const { app, name: _, ...history } = await foundApp(request, ports);
  return { status: 200, body: viewOf(await answering(app, history, ports), history, view) };
}

/**
 * Returns an application without its address when nothing answers there. Whether a release that answered nobody at its start
 * has a process that does now, only the platform knows; it keeps its address where the platform does not tell.
 */
async function answering(app: Application, { active }: AppHistory, { processes }: AppsPorts): Promise<Application> {
  if (active === null || active.url !== null) return app;
  const running = await processes.list(app).catch(() => null);
  return running === null || running.scale.web ? app : { ...app, url: null };
}

function viewOf(app: Application, { active, earlier, owner }: AppHistory, view: View): SentApplication {
  const environment = active?.environment ?? owner?.environment;
  const pullRequest = active?.pullRequest ?? owner?.pullRequest;
  return {
    name: app.name,
    app: app.app,
    repository: active?.repository ?? (owner && placeOf(owner)),
    branch: active?.branch ?? null,
    ...(environment !== undefined && { environment }),
    ...(pullRequest && { pull_request: pullRequest.number, preview_of: pullRequest.parent ?? null }),
    state: app.state,
    url: app.url,
    ...(app.used && { used: app.used }),
    active: active && row(active, view),
    rollback: earlier.map((entry) => row(entry, view)),
  };
}

function placeOf({ host, owner, name, path }: AppOwner): SentApplication['repository'] {
  return { host, owner, name, ...(path !== undefined && { path }) };
}
