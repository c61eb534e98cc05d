import { forEachLimit } from '../core/for-each-limit.ts';
import { includeDocs } from '../core/parameters.ts';
import type { HttpAnswer, HttpRequest } from '../triggers/http.ts';
import { foundApp } from './found-app.ts';
import { historyOf } from './history.ts';
import type { AppsPorts } from './ports.ts';
import { viewOf } from './view.ts';

/** Applications that are read at a time: each takes a call of the platform and some reads of the log. */
const MAX_AT_A_TIME = 8;

/** `GET /1/apps/<user>`: all applications of the user, sorted by name. */
export async function list({ user, query, base }: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const view = { base, docs: includeDocs(query) };
  const [applications, facts] = await Promise.all([ports.applications.list(user), ports.facts.apps(user)]);
  const shown = new Map<string, unknown>();
  const failures: unknown[] = [];
  await forEachLimit(applications, MAX_AT_A_TIME, async (app) => {
    try {
      shown.set(app.app, viewOf(app, await historyOf(app, facts, ports), view));
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
  return { status: 200, body: { apps: applications.map(({ app }) => shown.get(app)) } };
}

/** `GET /1/apps/<user>/<application>`: one of them. */
export async function show(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const view = { base: request.base, docs: includeDocs(request.query) };
  const { app, name: _, ...history } = await foundApp(request, ports);
  return { status: 200, body: viewOf(app, history, view) };
}
