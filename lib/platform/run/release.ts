import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnEnvironment } from '../../builder/process/child-environment.ts';
import { toolBin } from '../../builder/tools/tools.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { HttpError } from '../http-error.ts';
import type { Limits, Log } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import type { Folders } from '../store/folders.ts';
import { appHost } from '../store/host-names.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { VariableStore } from '../store/variables.ts';
import type { AppLog } from './app-log.ts';
import { launch, type RunningRelease } from './launch.ts';
import { type MemoryLimits, type MemoryWatch, memoryLimitOf } from './limits/memory-watch.ts';
import type { AppProxy } from './proxy.ts';

/** Dependencies of starting a release. */
export interface ReleaseParts {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
  readonly apps: Apps;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly limits: Limits;
  readonly memoryLimits: MemoryLimits;
  readonly memory: MemoryWatch;
  readonly log: Log;
}

/** The release to start, and the settings of its application. */
export interface LaunchContext {
  readonly app: AppName;
  /** Id of the snapshot. */
  readonly id: string;
  readonly log: AppLog;
  readonly proxy: AppProxy;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/**
 * Starts a built snapshot behind the application's proxy and waits until it answers. Throws an HttpError: 404 or 409
 * when there is no such release, 500 with a sentence and the log when it does not start.
 */
export async function launchRelease(parts: ReleaseParts, context: LaunchContext): Promise<RunningRelease> {
  const { app, id, log, proxy, signal } = context;
  const snapshot = await parts.snapshots.get(app, id);
  if (snapshot.state !== 'ready') {
    const why = snapshot.state === 'failed' ? `could not be built: ${snapshot.reason}` : 'has not been activated yet';
    throw new HttpError(409, `The snapshot ${id} ${why}.`, snapshot.log);
  }
  await openProxy(parts, app, proxy);
  const files = parts.folders.ofApp(app);
  const root = files.snapshot(id).release;
  await mkdir(files.data, { recursive: true });
  return launch(parts.own, parts.groups, {
    what: appKey(app),
    snapshot: id,
    release: {
      root,
      folder: join(root, snapshot.path),
      bins: snapshot.tools.map((tool) => toolBin(parts.folders.tools, tool)),
    },
    dataDir: files.data,
    host: appHost(app),
    variables: await parts.variables.read(app),
    caches: parts.folders.cachesOf(app.user),
    log,
    limits: parts.limits,
    memoryMb: memoryLimitOf(parts.memoryLimits, app),
    memory: parts.memory,
    signal,
  });
}

/** The proxy listens before the first release starts, so that an application keeps its port from then on. */
async function openProxy(parts: ReleaseParts, app: AppName, proxy: AppProxy): Promise<void> {
  const stored = await parts.apps.get(app);
  const port = await proxy.open(stored.port === null ? [] : [stored.port]);
  if (port === stored.port) return;
  if (stored.port !== null) {
    const detail = `Port ${stored.port} is taken; it is ${port} now.`;
    parts.log({ type: 'app.moved', user: app.user, app: app.app, detail });
  }
  await parts.apps.change(app, { port });
}
