import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../../http/http-error.ts';
import type { Apps } from '../store/apps.ts';
import { type AppName, appNamed, checkedSnapshot, checkedUser } from '../store/names.ts';

/** A request with its route. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Returns a decoded segment of the path by its name in the route's pattern. */
  readonly param: (name: string) => string;
  /** Reads the body, a JSON object; empty when there is none. */
  readonly json: () => Promise<Readonly<Record<string, unknown>>>;
}

/** The answer of a route: status and JSON body. `streamed`: the route has written the answer itself. */
export type Reply = { readonly status: number; readonly body?: unknown } | 'streamed';

type Handler = (call: Call) => Promise<Reply>;

/** The routes of the API by method and path: `GET /apps/:user`. `:name` matches one segment. */
export type Routes = Readonly<Record<string, Handler>>;

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

export const NO_CONTENT: Reply = { status: 204 };

/** Returns what makes a handler of calls about an application; they are 404 when there is none. */
export function ofApp({ get }: Pick<Apps, 'get'>) {
  return (run: (call: Call, app: AppName) => Promise<Reply>): Handler =>
    async (call) => {
      const app = appOf(call);
      await get(app);
      return run(call, app);
    };
}

/** The route of a request, or the methods allowed for its path: none for an unknown path. */
type Match =
  | { readonly path: string; readonly run: Handler; readonly param: (name: string) => string }
  | { readonly allow: readonly string[] };

/** Returns the route of a method and a path. A trailing slash is ignored. */
export function matchRoute(routes: Routes, method: string, pathname: string): Match {
  const segments = segmentsOf(pathname);
  const fitting = Object.keys(routes)
    .map((line) => line.split(' '))
    .filter(([, path = '']) => fits(path, segments));
  const [, path = ''] = fitting.find(([one]) => one === method) ?? [];
  const run = routes[`${method} ${path}`];
  if (!run) return { allow: fitting.map(([one = '']) => one) };
  const names = path.split('/').slice(1);
  return { path, run, param: (name) => decoded(segments[names.indexOf(`:${name}`)] ?? '') };
}

/** Returns the user in the path, or throws 400. */
export function userOf(call: Call): string {
  return checkedUser(call.param('user'));
}

/** Returns the application in the path, or throws 400. */
export function appOf(call: Call): AppName {
  return appNamed(call.param('user'), call.param('app'));
}

/** Returns the snapshot id in the path, or throws 400. */
export function snapshotOf(call: Call): string {
  return checkedSnapshot(call.param('id'));
}

/** Returns an integer of the query, or the fallback. Throws 400 for other values and above the maximum. */
export function wholeNumber(
  call: Call,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const text = call.query.get(name);
  if (text === null) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  throw new HttpError(400, `The query parameter ${name} is a whole number from 0 to ${max}.`);
}

/** Whether the query has the parameter in any form but `false` and `0`: `?follow` is enough. */
export function isSet(call: Call, name: string): boolean {
  const value = call.query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

const REMOVAL_CHECK_MS = 2_000;

/** Ends an answer that goes on and on within seconds after its application was removed. */
export function endWhenRemoved({ response }: Call, app: AppName, { find }: Pick<Apps, 'find'>): void {
  const timer = setInterval(() => {
    // A file that cannot be read does not say that there is none.
    find(app).then(
      (found) => found ?? response.end(),
      () => {},
    );
  }, REMOVAL_CHECK_MS);
  response.once('close', () => clearInterval(timer));
  if (response.destroyed) clearInterval(timer);
}

function segmentsOf(pathname: string): string[] {
  const segments = pathname.split('/').slice(1);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return segments;
}

function fits(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern.split('/').slice(1);
  return (
    parts.length === segments.length &&
    parts.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]))
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The path has a percent sign that encodes nothing.');
  }
}
