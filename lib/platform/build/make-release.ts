import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltApplication, buildApplication } from '../../builder/build-application.ts';
import type { OwnEnvironment } from '../../builder/process/child-environment.ts';
import { writeNpmSettings } from '../../builder/process/npm-settings.ts';
import type { Tools } from '../../builder/tools/tools.ts';
import { type BuiltRelease, keptPaths, keptPlace, linkKept } from '../../files/kept-files.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import type { Isolation } from '../../process/sandbox.ts';
import { type AppId, appKey, type Variables } from '../../runner/calls.ts';
import { tooManyProcesses } from '../../runner/processes/scale.ts';
import type { Limits } from '../settings.ts';
import type { StoredParts } from '../store/caches.ts';
import type { Folders } from '../store/folders.ts';
import type { Snapshot, Snapshots } from '../store/snapshots.ts';
import type { BuildLog } from './build-log.ts';
import type { Dependencies } from './dependencies.ts';
import { extract } from './extract.ts';

export interface ReleaseMaker extends Pick<StoredParts, 'apps' | 'tables'> {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
  readonly snapshots: Snapshots;
  readonly dependencies: Dependencies;
  readonly tools: Tools;
  readonly limits: Limits;
  /** The major version of Node for applications that name none; default: that of this machine. */
  readonly usualNode: string | undefined;
  readonly isolation: Isolation | null;
}

/** One build: what is built, where its output goes, and the signal that cancels it. */
export interface Build {
  readonly app: AppId;
  readonly snapshot: Snapshot;
  readonly variables: Variables;
  readonly log: BuildLog;
  readonly signal: AbortSignal;
}

/**
 * Unpacks the tarball, builds the application in it and runs the release command of its Procfile. Throws an Error with
 * one sentence.
 */
export async function makeRelease(maker: ReleaseMaker, build: Build): Promise<BuiltApplication> {
  const { app, snapshot, log, signal, variables } = build;
  const { own, groups, limits, tools, isolation } = maker;
  const folder = maker.folders.ofApp(app);
  const { release: root, home, tarball } = folder.snapshot(snapshot.id);
  const caches = maker.folders.cachesOf(app.user);
  await extract({ tarball, target: root, limits, groups, what: appKey(app), signal });
  for (const made of [home, caches]) await mkdir(made, { recursive: true });
  await writeNpmSettings(own, home);
  const built = await buildApplication({
    root,
    path: snapshot.path,
    settings: snapshot.settings,
    isClean: snapshot.clean,
    commit: snapshot.commit,
    own,
    variables,
    commands: { groups, what: `${appKey(app)} build`, timeoutMs: limits.installMs, log, signal, isolation },
    caches,
    home,
    frameworkCaches: folder.buildCaches,
    tools,
    choosesNode: true,
    usualNode: maker.usualNode,
    provide: (installation) => maker.dependencies({ ...installation, folder, isClean: snapshot.clean }),
  });
  const { web: _, release: __, ...others } = built.procfile;
  const problem = tooManyProcesses({ others }, (await maker.apps.find(app))?.scale ?? {});
  if (problem !== null) throw new Error(problem);
  await runRelease(maker, build, built);
  return built;
}

/** Runs the release command the first time that the snapshot is built. */
async function runRelease(maker: ReleaseMaker, { app, snapshot }: Build, built: BuiltApplication): Promise<void> {
  const { release } = built.procfile;
  if (release === undefined || snapshot.built_at !== null) return;
  const { data, snapshot: filesOf } = maker.folders.ofApp(app);
  await mkdir(data, { recursive: true });
  const { release: root } = filesOf(snapshot.id);
  await linkWhatIsKept({ root, folder: join(root, snapshot.path), since: 0 }, data, snapshot.settings.keep ?? []);
  // Written first: after a kill its deploy says that the command runs again.
  await maker.snapshots.write(app, { ...snapshot, state: 'building', reason: null, released: true });
  await built.run('The release command of the Procfile', release, { DATA_DIR: data });
}

/** A migration is of the database that is kept. What is not kept yet is taken over at the start. */
async function linkWhatIsKept(release: BuiltRelease, dataDir: string, keep: readonly string[]): Promise<void> {
  const paths = await keptPaths(keep, dataDir, [release]);
  await linkKept({ release, dataDir, paths: paths.filter((path) => existsSync(keptPlace(dataDir, path))) });
}
