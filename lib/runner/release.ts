import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutValues } from '../../functions/core/output/without-values.ts';
import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { type CronEntry, cronIn } from '../builder/start/cron.ts';
import { type ProcessTypes, processTypes, readStartManifest } from '../builder/start/start-command.ts';
import { toolBin } from '../builder/tools/tools.ts';
import { HttpError, messageOf } from '../platform/http-error.ts';
import type { Limits, Log } from '../platform/settings.ts';
import type { Apps } from '../platform/store/apps.ts';
import type { Folders } from '../platform/store/folders.ts';
import { appHost } from '../platform/store/host-names.ts';
import { type AppName, appKey } from '../platform/store/names.ts';
import type { Snapshots } from '../platform/store/snapshots.ts';
import type { VariableStore } from '../platform/store/variables.ts';
import type { GroupRegistry } from '../process/group-registry.ts';
import type { AppLog } from './app-log.ts';
import { type MemoryLimits, type MemoryWatch, memoryLimitOf } from './limits/memory-watch.ts';
import type { ProcessContext } from './processes/app-process.ts';
import type { AppProxy } from './proxy.ts';

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

/** A built snapshot, and all that its processes need. */
export interface Release extends ProcessContext {
  readonly snapshot: string;
  readonly types: ProcessTypes;
  readonly cron: readonly CronEntry[];
  /** The name under which it is asked whether it answers. */
  readonly host: string;
  readonly log: AppLog;
  readonly limits: Limits;
}

/**
 * Reads a built snapshot with the current variables. Throws an HttpError: 404 or 409 when there is no such release, 500
 * with a sentence when there is nothing to start in it.
 */
export async function readRelease(parts: ReleaseParts, app: AppName, id: string, log: AppLog): Promise<Release> {
  const snapshot = await parts.snapshots.get(app, id);
  if (snapshot.state !== 'ready') {
    const why = snapshot.state === 'failed' ? `could not be built: ${snapshot.reason}` : 'has not been activated yet';
    throw new HttpError(409, `The snapshot ${id} ${why}.`, snapshot.log);
  }
  const files = parts.folders.ofApp(app);
  const root = files.snapshot(id).release;
  const folder = join(root, snapshot.path);
  const manifest = await readStartManifest(folder).catch(refused);
  await mkdir(files.data, { recursive: true });
  return {
    own: parts.own,
    groups: parts.groups,
    what: appKey(app),
    snapshot: id,
    release: { root, folder, bins: snapshot.tools.map((tool) => toolBin(parts.folders.tools, tool)) },
    manifest,
    types: await processTypes(folder, manifest).catch(refused),
    // Its build has checked them; one of an earlier version of the service starts as it did.
    cron: await cronIn(folder).catch(() => []),
    dataDir: files.data,
    host: appHost(app),
    variables: await parts.variables.read(app),
    caches: parts.folders.cachesOf(app.user),
    log,
    limits: parts.limits,
    memoryMb: memoryLimitOf(parts.memoryLimits, app),
    memory: parts.memory,
  };
}

function refused(error: unknown): never {
  throw new HttpError(500, messageOf(error), []);
}

/** The proxy listens before the first release starts, so that an application keeps its port from then on. */
export async function openProxy(parts: ReleaseParts, app: AppName, proxy: AppProxy): Promise<void> {
  const stored = await parts.apps.get(app);
  const port = await proxy.open(stored.port === null ? [] : [stored.port]);
  if (port === stored.port) return;
  if (stored.port !== null) {
    const detail = `Port ${stored.port} is taken; it is ${port} now.`;
    parts.log({ type: 'app.moved', user: app.user, app: app.app, detail });
  }
  await parts.apps.change(app, { port });
}

/** Why a release does not start, in one sentence, and what it has printed. */
export interface FailedStart {
  readonly failure: string;
  readonly lines: readonly string[];
}

/** The error of a release that does not start, with paths as its author knows them and without values of variables. */
export function failedStart({ release, variables }: Release, { failure, lines }: FailedStart): HttpError {
  const shown = [failure, ...lines].map((line) => line.replaceAll(`${release.root}/`, ''));
  const [sentence = '', ...tail] = withoutValues(shown, variables);
  return new HttpError(500, sentence, tail);
}
