import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http-error.ts';
import { type AppName, appNamed, checkedSnapshot, checkedUser } from '../store/names.ts';
import type { Caller } from './login.ts';

/** A request with its route and its authenticated caller. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** Returns a decoded segment of the path by its name in the route's pattern. */
  readonly param: (name: string) => string;
}

/** The answer of a route: status and JSON body. `streamed`: the route has written the answer itself. */
export type Reply = { readonly status: number; readonly body?: unknown } | 'streamed';

/** A route of the API: method, path pattern (`:name` matches one segment) and handler. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** Whether it is about all users, so that the deploy service calls it in the name of none. */
  readonly ofAllUsers?: true;
  readonly run: (call: Call) => Promise<Reply>;
}

/** The route of a request, or the methods allowed for its path: none for an unknown path. */
export type Match =
  | { readonly route: Route; readonly param: (name: string) => string }
  | { readonly allow: readonly string[] };

/** Returns the route of a method and a path. A trailing slash is ignored. */
export function matchRoute(routes: readonly Route[], method: string, pathname: string): Match {
  const segments = segmentsOf(pathname);
  const fitting = routes.filter((route) => fits(route.path, segments));
  const route = fitting.find((one) => one.method === method);
  if (!route) return { allow: fitting.map((one) => one.method) };
  const names = route.path.split('/').slice(1);
  const param = (name: string) => decoded(segments[names.indexOf(`:${name}`)] ?? '');
  return { route, param };
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
