import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { ActivateOptions, Builder } from '../build/builder.ts';
import { jsonBody } from '../http/json-body.ts';
import { appOf, type Call, type Route, snapshotOf, wholeNumber } from '../http/route.ts';
import { type Declared, type Received, receive } from '../http/upload.ts';
import { HttpError } from '../http-error.ts';
import { checkedAppPath } from '../store/app-path.ts';
import type { Apps } from '../store/apps.ts';
import type { Folders } from '../store/folders.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshot, Snapshots } from '../store/snapshots.ts';
import { sendBuildLog } from './build-log.ts';

/** Dependencies of the routes of snapshots. */
export interface SnapshotRouteParts {
  readonly apps: Apps;
  readonly folders: Folders;
  readonly snapshots: Snapshots;
  readonly builder: Builder;
  readonly tarballBytes: number;
  readonly bodyBytes: number;
}

const LONGEST_WAIT_SECONDS = 55;

/** The routes of snapshots: list, upload, status, activate, cancel, log of the build. */
export function snapshotRoutes(parts: SnapshotRouteParts): readonly Route[] {
  const { apps, snapshots, builder } = parts;
  const path = '/apps/:user/:app/snapshots';
  const withLock = keyedMutex();
  return [
    {
      method: 'GET',
      path,
      run: async (call) => {
        await apps.get(appOf(call));
        const list = await snapshots.list(appOf(call));
        return { status: 200, body: { snapshots: list.map(({ log: _log, ...shown }) => shown) } };
      },
    },
    {
      method: 'POST',
      path: `${path}/:id`,
      run: async (call) => {
        const app = appOf(call);
        const id = snapshotOf(call);
        await apps.get(app);
        const received = await receive(
          call.request,
          parts.folders.ofApp(app).snapshot(id).tarball,
          declared(call, parts),
        );
        return withLock(`${appKey(app)}/${id}`, () => store(parts, received, { app, id }));
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      run: async (call) => {
        await apps.get(appOf(call));
        // `?wait=<seconds>` answers when the build has ended, so that callers need not poll.
        const seconds = wholeNumber(call, 'wait', { fallback: 0, max: LONGEST_WAIT_SECONDS });
        return { status: 200, body: await builder.status(appOf(call), snapshotOf(call), seconds * 1000) };
      },
    },
    {
      method: 'POST',
      path: `${path}/:id/activate`,
      run: async (call) => {
        await apps.get(appOf(call));
        const options = activateOptions(await jsonBody(call.request, parts.bodyBytes));
        return { status: 202, body: await builder.activate(appOf(call), snapshotOf(call), options) };
      },
    },
    {
      method: 'POST',
      path: `${path}/:id/cancel`,
      run: async (call) => {
        await apps.get(appOf(call));
        return { status: 200, body: await builder.cancel(appOf(call), snapshotOf(call)) };
      },
    },
    {
      method: 'GET',
      path: `${path}/:id/log`,
      run: async (call) => {
        await apps.get(appOf(call));
        return sendBuildLog(call, parts);
      },
    },
  ];
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
  parts: SnapshotRouteParts,
  received: Received,
  { app, id }: { readonly app: AppName; readonly id: string },
) {
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
    note: null,
    released: false,
  };
}

function declared(call: Call, { tarballBytes }: SnapshotRouteParts): Declared {
  const length = call.request.headers['content-length'];
  if (length === undefined) throw new HttpError(411, 'A snapshot is sent with its Content-Length.');
  const bytes = Number(length);
  if (bytes > tarballBytes) throw new HttpError(413, `A snapshot has at most ${tarballBytes} bytes.`);
  const sha256 = call.query.get('sha256')?.toLowerCase();
  if (sha256 === undefined) return { bytes };
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new HttpError(400, 'The query parameter sha256 has 64 hex digits.');
  return { bytes, sha256 };
}
