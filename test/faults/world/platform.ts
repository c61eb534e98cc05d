import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type HttpServer, httpServer } from '../../support/service/http-server.ts';

/** A start of a snapshot that the platform has carried out. */
export interface Activation {
  readonly app: string;
  readonly snapshot: string;
}

/** A platform that runs nothing, and remembers what it was asked to run. */
export interface FakePlatform extends HttpServer {
  /** The starts, in order, without those of what was running already. */
  readonly activations: readonly Activation[];
  /** Returns the snapshot that an application (`<user>/<app>`) runs. */
  running(app: string): string | null;
}

interface App {
  readonly snapshots: Map<string, Snapshot>;
  running: string | null;
}

interface Snapshot {
  readonly sha256: string;
  /** How often its build was asked for; null before it was activated. */
  polls: number | null;
  isCancelled: boolean;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** Versions of packages that the platform cannot build, or not start. */
export const BROKEN = { build: '0.0.1', start: '0.0.2' } as const;
/** The version of packages whose build takes a second or two. */
export const SLOW = '1.1.0';

/** How often a build is asked for until it is ready. */
const POLLS = 3;
const SLOW_POLLS = 11;

/** Starts the platform. */
export async function fakePlatform(): Promise<FakePlatform> {
  const apps = new Map<string, App>();
  const activations: Activation[] = [];
  const server = await httpServer(async (request, response) => {
    const { status, body = {} } = answer(request, await buffer(request), { apps, activations });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { ...server, activations, running: (app) => apps.get(app)?.running ?? null };
}

interface State {
  readonly apps: Map<string, App>;
  readonly activations: Activation[];
}

function answer({ method, url = '' }: IncomingMessage, body: Buffer, state: State): Answer {
  const { pathname, searchParams } = new URL(url, 'http://platform.invalid');
  const [, kind, user, name, what, id, verb] = pathname.split('/');
  if (kind !== 'apps') return { status: 404 };
  const key = `${user}/${name}`;
  const app = state.apps.get(key);
  if (what === undefined) return ofApp(method, key, app, state);
  if (!app) return { status: 404, body: { error: `There is no application ${key}.` } };
  if (what === 'start') return start(key, app, JSON.parse(body.toString()).snapshot, state);
  if (what !== 'snapshots') return { status: 404 };
  if (id === undefined) return list(app);
  if (verb === 'activate') return activate(app, id);
  if (verb === 'cancel') return cancel(app, id);
  return method === 'POST' ? upload(app, id, body, searchParams.get('sha256')) : poll(app, id);
}

function ofApp(method: string | undefined, key: string, app: App | undefined, { apps }: State): Answer {
  if (method === 'GET') return app ? { status: 200, body: shown(key, app) } : { status: 404 };
  if (method === 'PUT') return { status: app ? 200 : 404 };
  if (app) return { status: 409 };
  apps.set(key, { snapshots: new Map(), running: null });
  return { status: 201 };
}

function upload(app: App, id: string, body: Buffer, sha256: string | null): Answer {
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    return { status: 400, body: { error: 'Wrong digest.' } };
  const known = app.snapshots.get(id);
  if (known) return { status: known.sha256 === sha256 ? 200 : 409, body: { error: 'Other bytes.' } };
  app.snapshots.set(id, { sha256, polls: null, isCancelled: false });
  return { status: 201 };
}

function list({ snapshots }: App): Answer {
  const isBuilt = (id: string) => isReady(id, snapshots.get(id));
  const all = [...snapshots.keys()].map((id) => ({ id, state: isBuilt(id) ? 'ready' : 'pending' }));
  return { status: 200, body: { snapshots: all } };
}

function activate(app: App, id: string): Answer {
  const snapshot = app.snapshots.get(id);
  if (!snapshot) return { status: 404, body: { error: `There is no snapshot ${id}.` } };
  snapshot.polls ??= 0;
  return { status: 202 };
}

/** A build that has ended stays as it is. */
function cancel(app: App, id: string): Answer {
  const snapshot = app.snapshots.get(id);
  if (snapshot && !isReady(id, snapshot)) snapshot.isCancelled = true;
  return { status: snapshot ? 200 : 404 };
}

function isReady(id: string, snapshot: Snapshot | undefined): boolean {
  const { polls = 0, isCancelled = false } = snapshot ?? {};
  return !isCancelled && (polls ?? 0) >= (id.startsWith(`${SLOW}-`) ? SLOW_POLLS : POLLS);
}

function poll(app: App, id: string): Answer {
  const snapshot = app.snapshots.get(id);
  if (!snapshot) return { status: 404, body: { error: `There is no snapshot ${id}.` } };
  if (snapshot.isCancelled) return { status: 200, body: { state: 'failed', reason: 'It was cancelled.', log: [] } };
  if (snapshot.polls === null) return { status: 200, body: { state: 'pending' } };
  snapshot.polls += 1;
  if (!isReady(id, snapshot)) return { status: 200, body: { state: 'building' } };
  if (id.startsWith(`${BROKEN.build}-`))
    return { status: 200, body: { state: 'failed', reason: 'npm failed.', log: [] } };
  return { status: 200, body: { state: 'ready' } };
}

function start(key: string, app: App, id: string, { activations }: State): Answer {
  if (!isReady(id, app.snapshots.get(id))) return { status: 409, body: { error: `The snapshot ${id} is not built.` } };
  if (id.startsWith(`${BROKEN.start}-`)) return { status: 500, body: { error: 'It does not answer.', log: ['boom'] } };
  if (app.running !== id) activations.push({ app: key, snapshot: id });
  app.running = id;
  return { status: 200, body: shown(key, app) };
}

function shown(key: string, app: App) {
  const [, name] = key.split('/');
  return { app: name, url: `http://${key.replace('/', '.')}.example.com/`, snapshot: app.running, state: 'running' };
}
