import { mkdir } from 'node:fs/promises';
import { frameworkCaches } from '../../builder/framework-caches.ts';
import { buildScriptsOf, installPlan } from '../../builder/install-plan.ts';
import { type ManagerCommands, managerCommands } from '../../builder/manager-commands.ts';
import { buildEnvironment, type ReleaseFolders } from '../../builder/process/child-environment.ts';
import { runCommand } from '../../builder/process/run-command.ts';
import { type Project, readProject } from '../../builder/project.ts';
import { keepsDevelopment } from '../../builder/prune.ts';
import { procfileIn, unusedTypes } from '../../builder/start/procfile.ts';
import { readStartManifest } from '../../builder/start/start-command.ts';
import { type Toolchain, toolchain } from '../../builder/tools/toolchain.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { Build, ReleaseMaker } from './build.ts';
import type { DependencySource } from './dependencies.ts';
import { extract } from './extract.ts';

/** The result of a build. */
export interface Made extends Toolchain {
  readonly dependencies: DependencySource;
}

/** A build with its project read and its programs there. */
interface Step {
  readonly maker: ReleaseMaker;
  readonly build: Build;
  readonly project: Project;
  readonly release: ReleaseFolders;
  readonly commands: ManagerCommands;
  readonly toolchain: Toolchain;
}

/**
 * Unpacks the tarball, installs the dependencies and runs the scripts of the build in Heroku's order
 * (https://devcenter.heroku.com/articles/nodejs-classic-buildpack-builds). Throws an Error with one sentence.
 */
export async function makeRelease(maker: ReleaseMaker, build: Build): Promise<Made> {
  const { app, snapshot, log, signal } = build;
  const { unpackers, limits } = maker;
  const files = maker.folders.ofApp(app);
  const { release: root, tarball } = files.snapshot(snapshot.id);
  await extract({ tarball, target: root, limits, unpackers, what: appKey(app), signal });
  const project = await readProject(root, snapshot.path);
  // A damaged package.json is refused before the minutes that an installation may take.
  await readStartManifest(project.folder);
  const found = await toolchain(maker, build, project);
  for (const warning of found.warnings) log.note(warning);
  const release = { root, folder: project.folder, bins: found.bins };
  const commands = managerCommands(project.manager, maker.folders.cachesOf(app.user));
  const step: Step = { maker, build, project, release, commands, toolchain: found };
  const caches = frameworkCaches(files.buildCaches, project.folder);
  await runScript(step, 'heroku-prebuild');
  const installed = await install(step);
  await caches.restore();
  try {
    const scripts = buildScriptsOf(project.manifest);
    await runScript(step, scripts['heroku-postbuild'] === undefined ? 'build' : 'heroku-postbuild');
  } finally {
    await caches.keep();
  }
  if (installed.dev) await prune(step);
  await runScript(step, 'heroku-cleanup');
  await finish(step);
  return { ...found, dependencies: installed.source };
}

interface Installed {
  readonly source: DependencySource;
  /** Whether there are development dependencies to remove. */
  readonly dev: boolean;
}

async function install(step: Step): Promise<Installed> {
  const { maker, build, project, commands } = step;
  const plan = await installPlan(project, step.toolchain.node);
  if (!plan) return { source: 'none', dev: false };
  const args = commands.install(plan);
  const source = await maker.dependencies.provide({
    folder: maker.folders.ofApp(build.app),
    id: build.snapshot.id,
    at: project.installAt,
    plan,
    earlier: await builtBefore(maker.snapshots, build.app, build.snapshot.id),
    install: () => {
      const title = `${commands.program} ${args[0]}`;
      // Package managers print nothing until they are done.
      build.log.note(`Installing the dependencies: ${title}`);
      return run(step, { title, args, cwd: project.installAt });
    },
  });
  if (source !== 'installed')
    build.log.note('The lockfile is unchanged: the dependencies of an earlier build are used.');
  return { source, dev: plan.dev || project.manager.kind === 'berry' };
}

async function prune(step: Step): Promise<void> {
  const { build, project, commands } = step;
  const why = keepsDevelopment(project, build.variables);
  if (why !== undefined) {
    build.log.note(`The development dependencies are kept: ${why}.`);
    return;
  }
  build.log.note('Removing the development dependencies');
  const title = `${commands.program} ${commands.prune[0]}, which removes the development dependencies,`;
  await run(step, { title, args: commands.prune, cwd: project.installAt });
}

/** Runs a script of the application's package.json, when it has it. */
async function runScript(step: Step, name: string): Promise<void> {
  const { project, commands } = step;
  const text = buildScriptsOf(project.manifest)[name];
  if (text === undefined) return;
  const args = commands.run(name);
  await run(step, { title: `${commands.program} run ${name}`, args, cwd: project.folder });
}

/** Says what of the Procfile is not run, and runs its release command the first time that the snapshot is built. */
async function finish(step: Step): Promise<void> {
  const { build, project } = step;
  const procfile = await procfileIn(project.folder);
  for (const name of unusedTypes(procfile)) {
    build.log.note(`The process type ${name} of the Procfile is not run; only web and release are.`);
  }
  if (procfile.release === undefined || build.snapshot.built_at !== null) return;
  const title = 'The release command of the Procfile';
  await mkdir(step.maker.folders.ofApp(build.app).data, { recursive: true });
  // Written first: after a kill its deploy says that the command runs again.
  await step.maker.snapshots.write(build.app, { ...build.snapshot, state: 'building', reason: null, released: true });
  await run(step, { title, program: 'sh', args: ['-c', procfile.release], cwd: project.folder, data: true });
}

interface Command {
  readonly title: string;
  readonly program?: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Whether it gets the application's own folder, as the application does. */
  readonly data?: boolean;
}

async function run(step: Step, { title, program, args, cwd, data }: Command): Promise<void> {
  const { maker, build, project, release, commands, toolchain: found } = step;
  const { log, signal, variables } = build;
  const env = buildEnvironment(maker.own, {
    release,
    caches: maker.folders.cachesOf(build.app.user),
    variables,
    nodeModules: project.manager.kind === 'berry' && !found.choosesLinker,
  });
  const [named, ...first] = program === undefined ? found.programOf(commands.program) : [program];
  await runCommand(maker.groups, {
    title,
    program: named,
    args: [...first, ...args],
    cwd,
    env: data ? { DATA_DIR: maker.folders.ofApp(build.app).data, ...env } : env,
    what: `${appKey(build.app)} build`,
    timeoutMs: maker.limits.installMs,
    log,
    signal,
  });
}

async function builtBefore(snapshots: Snapshots, app: AppName, id: string): Promise<readonly string[]> {
  const list = await snapshots.list(app);
  return list.flatMap((one) => (one.state === 'ready' && one.id !== id ? [one.id] : []));
}
