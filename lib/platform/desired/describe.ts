import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { insideRelease } from '../../builder/inside.ts';
import { cronIn } from '../../builder/start/cron.ts';
import { processTypes } from '../../builder/start/process-types.ts';
import { readStartManifest } from '../../builder/start/start-command.ts';
import { toolBin } from '../../builder/tools/tools.ts';
import { keptPaths } from '../../files/kept-files.ts';
import { HttpError, sentenceOf } from '../../http/http-error.ts';
import type { Isolation } from '../../process/sandbox.ts';
import { type AppId, type AppSpec, appKey, type HealthCheck, type ReleaseSpec } from '../../runner/calls.ts';
import { type MemoryLimits, memoryLimitOf } from '../../runner/limits/memory-watch.ts';
import { type ProcessLimits, processLimitOf } from '../../runner/limits/process-watch.ts';
import type { Apps } from '../store/apps.ts';
import type { Folders } from '../store/folders.ts';
import { appHost, appHosts } from '../store/host-names.ts';
import type { ServedUsers } from '../store/served-users.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { VariableStore } from '../store/variables.ts';

export interface DescribeParts {
  readonly apps: Pick<Apps, 'get'>;
  readonly folders: Folders;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly memoryLimits: MemoryLimits;
  readonly processLimits: ProcessLimits;
  readonly isolation: Isolation | null;
  readonly users: Pick<ServedUsers, 'list' | 'only'>;
  /** The domain of the applications besides `localhost`. */
  readonly domain: string | undefined;
  /** Names of the service itself below that domain. */
  readonly ownNames: readonly string[];
}

let described = 0;

/** Returns the description of an application for the runner, from its records. */
export async function describeApp(
  parts: DescribeParts,
  { user, app }: AppId,
  release: ReleaseSpec | null,
): Promise<AppSpec> {
  const { apps, folders, variables, memoryLimits, processLimits, isolation, domain } = parts;
  const id = { user, app };
  described += 1;
  // Before the records are read: whoever changes one describes the application after that.
  const version = { service: performance.timeOrigin, number: described };
  const { log, data } = folders.ofApp(id);
  const { port, scale, domains, password } = await apps.get(id);
  return {
    user,
    app,
    version,
    port,
    scale,
    release,
    log,
    domains: [...domains.map(({ name }) => name), ...(await shortNames(parts, id))],
    redirects: Object.fromEntries(
      domains.flatMap(({ name, redirect }) => (redirect === null ? [] : [[name, redirect]])),
    ),
    password,
    hosts: [appHost(id), ...appHosts(id, domain).slice(1)],
    variables: await variables.read(id),
    dataDir: data,
    caches: folders.cachesOf(user),
    memoryMb: memoryLimitOf(memoryLimits, id) ?? null,
    mostProcesses: processLimitOf(processLimits, appKey(id)),
    isolation,
  };
}

/** While there is one user, the name of that user may be left out below the domain. */
async function shortNames(
  { users, domain, ownNames }: DescribeParts,
  { user, app }: AppId,
): Promise<readonly string[]> {
  const name = `${app}.${domain}`;
  return domain === undefined || ownNames.includes(name) || (await users.only()) !== user ? [] : [name];
}

/**
 * Reads a built snapshot. Throws an HttpError: 404 or 409 when there is no such release, 500 with a sentence when there is
 * nothing to start in it.
 */
export async function readRelease({ snapshots, folders }: DescribeParts, app: AppId, id: string): Promise<ReleaseSpec> {
  const snapshot = await snapshots.get(app, id);
  if (snapshot.state !== 'ready') {
    const why = snapshot.state === 'failed' ? `could not be built: ${snapshot.reason}` : 'has not been activated yet';
    throw new HttpError(409, `The snapshot ${id} ${why}.`, snapshot.log);
  }
  const { settings } = snapshot;
  const files = folders.ofApp(app);
  const { release: root, home } = files.snapshot(id);
  const folder = join(root, snapshot.path);
  for (const made of [files.data, home]) await mkdir(made, { recursive: true });
  const read = await insideRelease(root, async () => {
    const manifest = await readStartManifest(folder).catch(refused);
    const types = await processTypes(folder, manifest, settings).catch(refused);
    // Its build has checked them; one of an earlier version of the service starts as it did.
    return { manifest, types, cron: await cronIn(folder).catch(() => []) };
  });
  return {
    root,
    folder,
    home,
    snapshot: id,
    commit: snapshot.commit,
    ...read,
    bins: snapshot.tools.map((tool) => toolBin(folders.tools, tool)),
    since: Date.parse(snapshot.built_at ?? snapshot.uploaded_at),
    overlap: settings.overlap ?? true,
    affinity: settings.affinity ?? false,
    health: healthCheck(settings.health),
    kept: await keptPaths(settings.keep ?? [], files.data, [{ root, folder }]).catch(refused),
  };
}

/** The setting is a path and seconds. */
function healthCheck(setting: Settings['health']): HealthCheck | null {
  const [path, seconds] = setting?.split(', ') ?? [];
  return path === undefined ? null : { path, seconds: Number(seconds) };
}

function refused(error: unknown): never {
  throw new HttpError(500, sentenceOf(error), [], { cause: error });
}
