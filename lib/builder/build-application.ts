import { join } from 'node:path';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { BUILD_NOTE } from '../../functions/core/output/build-reason.ts';
import { removeTree } from '../files/tree.ts';
import { buildCommands } from './build-commands.ts';
import { type BuildSite, type Command, type DependencySource, run, type Step } from './build-step.ts';
import { insideRelease } from './inside.ts';
import { buildScriptsOf, installPlan } from './install-plan.ts';
import { ignoredScripts, leftOut, unusedIn } from './left-out.ts';
import { keepingVariable, keepsDevelopment, managerCommands } from './manager-commands.ts';
import { manifestIn, packagesOf } from './manifest.ts';
import { type Project, readProject, withBuild } from './project.ts';
import { completeStandalone, removeModules, servesFilesOnly } from './release-content.ts';
import { cronIn } from './start/cron.ts';
import { mayUseDevelopment, processLines, usedDevelopment } from './start/development.ts';
import { frameworkCaches } from './start/framework-caches.ts';
import { frameworkOf } from './start/frameworks.ts';
import { type Procfile, procfileIn, readStartManifest, startCommand } from './start/start-command.ts';
import { type Toolchain, toolchain } from './tools/toolchain.ts';
import { checkLanguage, startedBy } from './without-build.ts';

/** The result of a build. */
export interface BuiltApplication extends Toolchain {
  readonly project: Project;
  readonly procfile: Procfile;
  readonly dependencies: DependencySource;
  /** The commands and the folder that were used, whether set or found. */
  readonly found: Settings;
  /** Runs one more command in the application's folder, as those of the build ran. */
  run(title: string, script: string, variables: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * Installs the dependencies of an unpacked application and runs the scripts of its build in Heroku's order
 * (https://devcenter.heroku.com/articles/nodejs-classic-buildpack-builds). Throws an Error with one sentence.
 */
export function buildApplication(site: BuildSite): Promise<BuiltApplication> {
  return insideRelease(site.root, () => build(site));
}

async function build(site: BuildSite): Promise<BuiltApplication> {
  const project = withBuild(await readProject(site.root, site.path, site.settings), site.settings);
  const warnings: string[] = [];
  /** Writes a line that its entry shows too; on AWS Lambda it is found there by its beginning. */
  const warn = (sentence: string) => {
    warnings.push(sentence);
    site.commands.log.note(site.runsWebOnly ? `${BUILD_NOTE}${sentence}` : sentence);
  };
  // Fail on a damaged manifest now, before the minutes that an installation may take.
  await readStartManifest(project.folder);
  // A wrong schedule fails the build.
  await cronIn(project.folder);
  if (site.runsWebOnly) {
    const procfile = await procfileIn(project.folder);
    checkLanguage(project, procfile, site.settings);
    unusedIn(procfile).forEach(warn);
  }
  for (const sentence of await leftOut(site.root)) warn(sentence);
  const programs = await toolchain(site, project);
  for (const warning of programs.warnings) warn(warning);
  const commands = managerCommands(project.manager, site.caches);
  const step: Step = { site, project, commands, toolchain: programs, warn };
  const caches = frameworkCaches(site.frameworkCaches, project);
  await runScript(step, 'heroku-prebuild');
  const { source, dev, command } = await install(step);
  if (site.isClean) await removeTree(site.frameworkCaches);
  await caches.restore();
  const { build } = site.settings;
  const builds = build === undefined ? await buildCommands(project, commands) : ownCommand(project, build);
  try {
    for (const command of builds) await runForFramework(step, command);
  } finally {
    await caches.keep();
  }
  await completeStandalone(project);
  if (dev && !(await servesFilesOnly(project.folder, site.settings))) await prune(step);
  await runScript(step, 'heroku-cleanup');
  if (source !== 'none' && (await servesFilesOnly(project.folder, site.settings))) await removeModules(project);
  const procfile = await procfileIn(project.folder);
  // The start reports that there is nothing to start.
  const start = await startCommand(project.folder, await readStartManifest(project.folder), site.settings).catch(
    () => undefined,
  );
  if (start?.note !== undefined) warn(start.note);
  const runHere: BuiltApplication['run'] = async (title, script, variables) => {
    await run(step, { title, program: 'sh', args: ['-c', script], cwd: project.folder, variables });
  };
  const used = { install: command, build: builds.map(({ title }) => title).join(' && '), ...startedBy(start) };
  return { ...programs, warnings, project, procfile, dependencies: source, found: used, run: runHere };
}

interface Installed {
  readonly source: DependencySource;
  readonly dev: boolean;
  /** Empty for none. */
  readonly command: string;
}

async function install(step: Step): Promise<Installed> {
  const { site, project, commands } = step;
  const { log } = site.commands;
  const { install: installSetting } = site.settings;
  if (installSetting !== undefined) {
    // What it installs is what it wants: nothing is reused, nothing is removed.
    for (const command of ownCommand(project, installSetting)) await run(step, { ...command, isInstallation: true });
    return { source: installSetting === '' ? 'none' : 'installed', dev: false, command: installSetting };
  }
  const { variables } = site;
  const lines = await processLines(project.folder, project.manifest, site.settings);
  const plan = await installPlan(project, {
    node: step.toolchain.node,
    variables,
    keepsDevelopment:
      keepsDevelopment(project.manager, variables) !== undefined || mayUseDevelopment(lines, project.installManifest),
  });
  if (!plan) return { source: 'none', dev: false, command: '' };
  const at = project.installAt;
  // A package manager would not replace node_modules that came in the tarball.
  await removeTree(join(at, 'node_modules'));
  // A clean build asks the registry: with this flag what the cache says of a package counts, however old that is.
  const args = commands.install(plan).filter((one) => !site.isClean || one !== '--prefer-offline');
  const title = `${commands.program} ${args[0]}`;
  const source = await site.provide({
    at,
    plan,
    install: async () => {
      // Package managers print nothing until they are done.
      log.note(`Installing the dependencies: ${title}`);
      if (project.manager.lockfile === undefined) {
        log.note(
          `There is no lockfile, so every push installs all packages again: commit that of "${commands.program} install".`,
        );
      }
      const printed = await run(step, { title, args, cwd: at, isInstallation: true });
      const ignored = ignoredScripts(printed);
      if (ignored !== undefined) step.warn(ignored);
    },
  });
  if (source !== 'installed') log.note('The lockfile is unchanged: the dependencies of an earlier build are used.');
  return { source, dev: plan.dev || project.manager.kind === 'berry', command: title };
}

async function prune(step: Step): Promise<void> {
  const { site, project, commands } = step;
  const why = keepsDevelopment(project.manager, site.variables) ?? (await usedByProcesses(step));
  if (why !== undefined) {
    site.commands.log.note(`The development dependencies are kept: ${why}.`);
    return;
  }
  const keeping = keepingVariable(project.manager);
  site.commands.log.note(`Removing the development dependencies: the variable ${keeping} keeps them`);
  const title = `${commands.program} ${commands.prune[0]}, which removes the development dependencies,`;
  await run(step, { title, args: commands.prune, cwd: project.installAt, isInstallation: true });
}

/** Returns why a process needs the development dependencies, as the end of a sentence. */
async function usedByProcesses({ site, project }: Step): Promise<string | undefined> {
  const { folder, installAt, installManifest } = project;
  const manifest = await readStartManifest(folder);
  // What a framework's build has left may be started in place of "start".
  const start = await startCommand(folder, manifest, site.settings).catch(() => undefined);
  const given = await processLines(folder, await manifestIn(folder), {
    ...site.settings,
    ...(start && { start: start.text }),
  });
  const name = await usedDevelopment(given, installAt, installManifest);
  return name === undefined ? undefined : `a command of the processes uses ${name}`;
}

/** Runs a script of the application's package.json, when it has it. */
async function runScript(step: Step, name: string): Promise<void> {
  const { project, commands } = step;
  if (buildScriptsOf(project.manifest)[name] === undefined) return;
  const title = `${commands.program} run ${name}`;
  await runForFramework(step, { title, args: commands.run(name), cwd: project.folder });
}

/** Runs a command of the build with the variables that the application's framework needs. */
async function runForFramework(step: Step, command: Command): Promise<void> {
  const variables = frameworkOf(packagesOf(step.project.manifest))?.variables ?? {};
  await run(step, { ...command, variables });
}

/** Returns the command of a setting, which runs in the application's folder; an empty one is none. */
function ownCommand({ folder }: Project, script: string): readonly Command[] {
  return script === '' ? [] : [{ title: script, program: 'sh', args: ['-c', script], cwd: folder }];
}
