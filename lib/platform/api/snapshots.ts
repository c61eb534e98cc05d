import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { HttpError } from '../../http/http-error.ts';
import type { ActivateOptions } from '../build/builder.ts';
import { type Call, ofApp, ok, type Reply, type Routes, snapshotOf, wholeNumber } from '../http/route.ts';
import { type Declared, type Received, receive } from '../http/upload.ts';
import { type AppName, appKey, checkedAppPath } from '../store/names.ts';
import type { Snapshot } from '../store/snapshots.ts';
import { sendBuildLog } from './build-log.ts';
import type { ApiParts } from './parts.ts';

const LONGEST_WAIT_SECONDS = 55;

/** The routes of snapshots: list, upload, status, activate, cancel, log of the build. */
export function snapshotRoutes(parts: ApiParts): Routes {
  const { apps, snapshots, builder } = parts;
  const handler = ofApp(apps);
  const withLock = keyedMutex();
  return {
    'GET /apps/:user/:app/snapshots': handler(async (_, app) => {
      const list = await snapshots.list(app);
      return ok({ snapshots: list.map(({ log: _log, ...shown }) => shown) });
    }),
    'POST /apps/:user/:app/snapshots/:id': handler(async (call, app) => {
      const id = snapshotOf(call);
      const { tarball } = parts.folders.ofApp(app).snapshot(id);
      const received = await receive(call.request, tarball, declared(call, parts));
      return withLock(`${appKey(app)}/${id}`, () => store(parts, received, { app, id }));
    }),
    'GET /apps/:user/:app/snapshots/:id': handler(async (call, app) => {
      // `?wait=<seconds>` answers when the build has ended, so that callers need not poll.
      const seconds = wholeNumber(call, 'wait', { fallback: 0, max: LONGEST_WAIT_SECONDS });
      return ok(await builder.status(app, snapshotOf(call), seconds * 1000));
    }),
    'POST /apps/:user/:app/snapshots/:id/activate': handler(async (call, app) => {
      const options = activateOptions(await call.json());
      return { status: 202, body: await builder.activate(app, snapshotOf(call), options) };
    }),
    'POST /apps/:user/:app/snapshots/:id/cancel': handler(async (call, app) =>
      ok(await builder.cancel(app, snapshotOf(call))),
    ),
    'GET /apps/:user/:app/snapshots/:id/log': handler(async (call, app) => sendBuildLog(call, app, parts)),
  };
}

function activateOptions({ path, deploy }: Readonly<Record<string, unknown>>): ActivateOptions {
  if (deploy !== undefined && !Number.isSafeInteger(deploy)) {
    throw new HttpError(400, 'The field deploy is a whole number.');
  }
  return {
    ...(path !== undefined && path !== null && { path: checkedAppPath(path) }),
    ...(deploy !== undefined && { deploy: Number(deploy) }),
  };
}

/** Stores an upload as a snapshot: 201, or 200 when it is stored already, or 409 when the id has other bytes. */
async function store(
  parts: ApiParts,
  received: Received,
  { app, id }: { readonly app: AppName; readonly id: string },
): Promise<Reply> {
  try {
    const known = await parts.snapshots.find(app, id);
    if (known && known.sha256 !== received.sha256) {
      throw new HttpError(409, `The snapshot ${id} exists with other bytes; a snapshot id is used once.`);
    }
    if (known) return { status: 200, body: known };
    await received.keep();
    const snapshot = fresh(id, received);
    // The state is written last: a tarball without one was not acknowledged, and is replaced.
    await parts.snapshots.write(app, snapshot);
    return { status: 201, body: snapshot };
  } finally {
    await received.drop();
  }
}

function fresh(id: string, { sha256, bytes }: Received): Snapshot {
  return {
    id,
    sha256,
    size: bytes,
    uploaded_at: new Date().toISOString(),
    state: 'pending',
    reason: null,
    log: [],
    dependencies: null,
    path: '',
    node: null,
    tools: [],
    warnings: [],
    built_at: null,
    deploy: null,
    awaited_at: null,
    note: null,
    released: false,
  };
}

function declared(call: Call, { tarballBytes }: ApiParts): Declared {
  const length = call.request.headers['content-length'];
  if (length === undefined) throw new HttpError(411, 'A snapshot is sent with its Content-Length.');
  const bytes = Number(length);
  if (bytes > tarballBytes) throw new HttpError(413, `A snapshot has at most ${tarballBytes} bytes.`);
  const sha256 = call.query.get('sha256')?.toLowerCase();
  if (sha256 === undefined) return { bytes };
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new HttpError(400, 'The query parameter sha256 has 64 hex digits.');
  return { bytes, sha256 };
}
