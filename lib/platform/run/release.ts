import type { GroupRegistry } from '../../processes/group-registry.ts';
import { HttpError } from '../http-error.ts';
import type { Limits, Log } from '../settings.ts';
import type { Apps } from '../store/apps.ts';
import type { Folders } from '../store/folders.ts';
import { type AppName, appHost, appKey } from '../store/names.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { VariableStore } from '../store/variables.ts';
import type { AppLog } from './app-log.ts';
import type { OwnEnvironment } from './child-environment.ts';
import { launch, type Running } from './launch.ts';
import type { Front } from './proxy.ts';

/** What starting a release works with. */
export interface ReleaseParts {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
  readonly apps: Apps;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly npmCache: string;
  readonly limits: Limits;
  readonly log: Log;
  /** Ports to try for an application that has none yet. */
  readonly freshPorts: () => Promise<Iterable<number>>;
}

/** What belongs to the application and not to the release. */
export interface Around {
  readonly log: AppLog;
  readonly front: Front;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/**
 * Starts a built snapshot behind the application's port, which is opened first, and waits until it answers. Throws a
 * HttpError: 404 or 409 when there is no such release, 500 with the sentence and the log when it does not start.
 */
export async function launchRelease(
  parts: ReleaseParts,
  app: AppName,
  id: string,
  { log, front, signal }: Around,
): Promise<Running> {
  const snapshot = await parts.snapshots.get(app, id);
  if (snapshot.state !== 'ready') {
    const why = snapshot.state === 'failed' ? `could not be built: ${snapshot.reason}` : 'has not been activated yet';
    throw new HttpError(409, `The snapshot ${id} ${why}.`, snapshot.log);
  }
  await openFront(parts, app, front);
  return launch(parts.own, parts.groups, {
    what: appKey(app),
    snapshot: id,
    release: parts.folders.ofApp(app).snapshot(id).release,
    host: appHost(app),
    variables: await parts.variables.read(app),
    npmCache: parts.npmCache,
    log,
    limits: parts.limits,
    signal,
  });
}

async function openFront(parts: ReleaseParts, app: AppName, front: Front): Promise<void> {
  const stored = await parts.apps.get(app);
  const candidates = stored.port === null ? await parts.freshPorts() : [stored.port, ...(await parts.freshPorts())];
  const port = await front.open(candidates);
  if (port === stored.port) return;
  if (stored.port !== null) {
    parts.log({
      type: 'app.moved',
      user: app.user,
      app: app.app,
      detail: `Port ${stored.port} is taken; it is ${port} now.`,
    });
  }
  await parts.apps.change(app, { port });
}
