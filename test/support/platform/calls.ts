import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { appName } from '../../../functions/core/entry/package-name.ts';
import type { AppRef } from '../../../functions/core/ports/platform.ts';
import { HttpError } from '../../../lib/http/http-error.ts';
import { plain } from '../../../lib/runner/logs/app-log.ts';
import type { ServedParts } from './served.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

type Result =
  | { readonly status: number; readonly body?: unknown }
  | { readonly type: string; readonly lines: AsyncIterable<string> };

/** A call, with what its path names. */
interface Call extends Pick<Request, 'headers' | 'body' | 'signal'> {
  readonly app: AppRef;
  readonly user: string;
  /** What follows the name of the application, but for the word that says what it is about. */
  readonly rest: readonly [string, string];
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: what a test sends.
  readonly json: any;
}

type Calls = Readonly<Record<string, (parts: ServedParts, call: Call) => Promise<Result>>>;

const ok = (body: unknown, status = 200): Result => ({ status, body });
const NO_CONTENT: Result = { status: 204 };

/** Does what a call of a test means: `GET /apps/<user>/<app>`, …. */
export function callOf(parts: ServedParts, { method, url, headers, body, signal }: Request): Promise<Result> {
  const { pathname, searchParams: query } = new URL(url, 'http://platform.invalid');
  const [, kind = '', user = '', app = '', about = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const [id = '', verb = ''] = rest;
  const names = [`${method} ${kind}`, user && ':user', app && ':app', about, id && ':id', verb].filter(Boolean);
  const call = calls[names.join('/')];
  if (!call) throw new Error(`No test calls ${method} ${pathname}.`);
  const json = Buffer.isBuffer(body) && /json/.test(headers['content-type'] ?? '') ? JSON.parse(body.toString()) : {};
  return call(parts, { app: { user, app }, user, rest: [id, verb], query, headers, body, json, signal });
}

const calls: Calls = {
  'GET events': async ({ platform }, { query }) => ok(await platform.events.after(Number(query.get('since')))),
  'GET apps/:user': async ({ platform }, { user }) => ok({ apps: await platform.applications.list(user) }),
  'GET apps/:user/:app': async ({ platform }, { app }) => ok(found(await platform.applications.find(app))),
  'PUT apps/:user/:app': async ({ platform }, { app, json, query }) => {
    await platform.hosting.ensureApp(app, json, { maySleep: query.get('web') === 'auto' });
    return ok(await platform.applications.find(app));
  },
  'DELETE apps/:user/:app': async ({ platform }, { app }) => {
    await platform.operations.remove(app);
    return NO_CONTENT;
  },
  'POST apps/:user/:app/rename': async ({ platform }, { app, json }) => {
    await platform.operations.rename(app, json.name);
    return ok(await platform.applications.find({ ...app, app: appName(json.name) }));
  },
  'POST apps/:user/:app/start': async ({ platform }, { app, json }) => {
    const snapshot = json.snapshot ?? (await platform.applications.find(app))?.snapshot;
    await platform.hosting.start({ ...app, snapshot });
    return ok(await platform.applications.find(app));
  },
  'POST apps/:user/:app/restart': async ({ platform }, { app }) => {
    await platform.operations.restart(app);
    return ok(await platform.applications.find(app));
  },
  'POST apps/:user/:app/stop': async ({ platform }, { app }) => {
    await platform.operations.stop(app);
    return ok(await platform.applications.find(app));
  },
  'GET apps/:user/:app/env': async ({ platform }, { app }) => ok(found(await platform.variables.read(app))),
  'PUT apps/:user/:app/env': async ({ platform }, { app, json }) => {
    const all = (known: object) => ({ ...Object.fromEntries(Object.keys(known).map((key) => [key, null])), ...json });
    found((await platform.variables.set(app, all)) || null);
    return ok(await platform.variables.read(app));
  },
  'PATCH apps/:user/:app/env': async ({ platform }, { app, json }) => {
    found((await platform.variables.set(app, json)) || null);
    return ok(await platform.variables.read(app));
  },
  'GET apps/:user/:app/domains': async ({ platform }, { app }) =>
    ok({ domains: found(await platform.domains.list(app)) }),
  'PUT apps/:user/:app/domains/:id': async ({ platform }, { app, rest: [name] }) => {
    const { domain, isNew } = found(await platform.domains.add(app, name));
    return ok(domain, isNew ? 201 : 200);
  },
  'DELETE apps/:user/:app/domains/:id': async ({ platform }, { app, rest: [name] }) => {
    found((await platform.domains.remove(app, name)) || null);
    return NO_CONTENT;
  },
  'GET apps/:user/:app/processes': async ({ platform }, { app }) => ok(found(await platform.processes.list(app))),
  'PATCH apps/:user/:app/processes': async ({ platform }, { app, json }) =>
    ok(found(await platform.processes.scale(app, json))),
  'POST apps/:user/:app/runs': async ({ platform }, { app, json }) =>
    ok(found(await platform.runs.start(app, json)), 201),
  'GET apps/:user/:app/runs/:id': async ({ platform }, { app, rest: [id], signal }) =>
    ndjson(found(await platform.runs.read(app, id, signal))),
  'POST apps/:user/:app/runs/:id': async ({ platform }, { app, rest: [id], json }) => {
    found((await platform.runs.write(app, id, json)) || null);
    return NO_CONTENT;
  },
  'GET apps/:user/:app/logs': async ({ platform }, { app, query, headers, signal }) => {
    const process = query.get('process');
    const asked = { lines: Number(query.get('lines') ?? 200), follow: query.has('follow') };
    const printed = found(await platform.output.read(app, { ...asked, ...(process && { process }) }, signal));
    if (headers.accept?.includes('ndjson')) return ndjson(printed);
    return { type: 'text/plain', lines: texts(printed, plain) };
  },
  ...snapshotCalls(),
};

function snapshotCalls(): Calls {
  const record = async ({ platform, snapshots }: ServedParts, { app, rest: [snapshot], query }: Call) => {
    const { state } = await platform.hosting.poll({ ...app, snapshot }, Number(query.get('wait') ?? 0));
    const stored = await snapshots.get(app, snapshot);
    // One that is being built has written that a moment later.
    return state === 'building' && stored.state !== 'pending' ? { ...stored, state, reason: null } : stored;
  };
  return {
    'GET apps/:user/:app/snapshots': async ({ snapshots }, { app }) => ok({ snapshots: await snapshots.list(app) }),
    'POST apps/:user/:app/snapshots/:id': async (parts, call) => {
      const {
        body,
        query,
        app,
        rest: [snapshot],
      } = call;
      const sha256 = query.get('sha256') ?? createHash('sha256').update(body).digest('hex');
      const upload = { body: [body] as unknown as AsyncIterable<Uint8Array>, bytes: body.length, sha256 };
      const uploaded = await parts.platform.hosting.upload({ ...app, snapshot }, upload);
      return ok(await record(parts, call), uploaded === 'taken' ? 409 : 201);
    },
    'GET apps/:user/:app/snapshots/:id': async (parts, call) => ok(await record(parts, call)),
    'POST apps/:user/:app/snapshots/:id/activate': async (parts, call) => {
      const {
        app,
        rest: [snapshot],
        json: options,
      } = call;
      await parts.platform.hosting.activate({ ...app, snapshot }, options);
      const { state, ...stored } = await record(parts, call);
      return ok({ ...stored, state: state === 'pending' ? 'building' : state }, 202);
    },
    'POST apps/:user/:app/snapshots/:id/cancel': async (parts, call) => {
      await parts.platform.hosting.cancel({ ...call.app, snapshot: call.rest[0] });
      return ok(await record(parts, call));
    },
    'GET apps/:user/:app/snapshots/:id/log': async ({ platform }, { app, rest: [snapshot], query, signal }) =>
      ndjson(found(await platform.builds.read({ ...app, snapshot }, query.has('follow'), signal))),
  };
}

function ndjson(pieces: AsyncIterable<readonly unknown[]>): Result {
  return { type: 'application/x-ndjson', lines: texts(pieces, (one) => JSON.stringify(one)) };
}

async function* texts<T>(pieces: AsyncIterable<readonly T[]>, shown: (one: T) => string): AsyncGenerator<string> {
  for await (const some of pieces) yield some.map((one) => `${shown(one)}\n`).join('');
}

function found<T>(value: T | null): T {
  if (value !== null) return value;
  throw new HttpError(404, 'There is none.');
}
