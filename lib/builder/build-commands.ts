import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Command } from './build-step.ts';
import { buildScriptsOf } from './install-plan.ts';
import type { ManagerCommands } from './manager-commands.ts';
import { manifestIn, packagesOf, type RawManifest, textOf } from './manifest.ts';
import type { Project } from './project.ts';

/**
 * Returns the commands that build an application: its `heroku-postbuild`, else its `build`. In a workspace what it
 * depends on is built before, by Turborepo or Nx where the root depends on one of them, else in the order of the dependencies.
 */
export async function buildCommands(project: Project, manager: ManagerCommands): Promise<readonly Command[]> {
  const { folder, manifest } = project;
  const { build, 'heroku-postbuild': postbuild } = buildScriptsOf(manifest);
  const name = postbuild === undefined ? 'build' : 'heroku-postbuild';
  const ofApplication = (postbuild ?? build) === undefined ? [] : [scriptIn(folder, name, { project, manager })];
  if (!project.workspaces || folder === project.installAt) return ofApplication;
  // Its author's own call of the tool decides what else is built.
  const tool = postbuild === undefined && !/\b(?:turbo|nx)\b/.test(build ?? '') ? await toolOf(project) : undefined;
  if (tool !== undefined) return [tool];
  return [...(await dependenciesFirst(project, manager)), ...ofApplication];
}

interface Of {
  readonly project: Project;
  readonly manager: ManagerCommands;
}

function scriptIn(folder: string, name: string, { project, manager }: Of): Command {
  const place = folder === project.folder ? '' : ` in ${relative(project.root, folder)}`;
  return { title: `${manager.program} run ${name}${place}`, args: manager.run(name), cwd: folder };
}

/** Returns the call of the tool that the root of the workspaces has for builds of several packages. */
async function toolOf({ folder, installAt, installManifest }: Project): Promise<Command | undefined> {
  const packages = packagesOf(installManifest);
  const place = relative(installAt, folder).replaceAll(sep, '/');
  const turbo = packages.includes('turbo') ? ((await textOf(join(installAt, 'turbo.json'))) ?? '') : '';
  // Without such a task Turborepo refuses the call.
  if (/"(?:[^"\s]+#)?build"\s*:/.test(turbo)) {
    // From version 2 on (`tasks`) a task gets only the variables that turbo.json names, unless it is told otherwise.
    const all = /"tasks"\s*:/.test(turbo) ? ['--env-mode=loose', '--log-prefix=none'] : [];
    return called('turbo', ['run', 'build', `--filter=./${place}`, ...all], installAt);
  }
  if (!packages.includes('nx') || !existsSync(join(installAt, 'nx.json'))) return undefined;
  return called('nx', ['run-many', '--target=build', `--projects=directory:${place}`], installAt);
}

function called(tool: string, args: readonly string[], installAt: string): Command {
  const program = join(installAt, 'node_modules', '.bin', tool);
  return { title: `${tool} ${args[0]} of the workspace`, program, args, cwd: installAt };
}

/** Returns the builds of the workspaces that an application depends on, each after those that it depends on itself. */
async function dependenciesFirst(project: Project, manager: ManagerCommands): Promise<readonly Command[]> {
  const { root, folder, manifest } = project;
  const seen = new Set([folder]);
  const commands: Command[] = [];
  const visit = async (at: string, of: RawManifest): Promise<void> => {
    for (const name of packagesOf(of, ['dependencies', 'devDependencies', 'optionalDependencies'])) {
      const linked = await linkedFolder(root, at, name);
      if (linked === undefined || seen.has(linked)) continue;
      seen.add(linked);
      const its = await manifestIn(linked);
      await visit(linked, its);
      if (buildScriptsOf(its).build !== undefined) commands.push(scriptIn(linked, 'build', { project, manager }));
    }
  };
  await visit(folder, manifest);
  return commands;
}

/** Returns the folder of the repository that a package is linked to; undefined for one that comes from elsewhere. */
async function linkedFolder(root: string, from: string, name: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    const info = await lstat(place).catch(() => undefined);
    if (info?.isSymbolicLink()) {
      const path = relative(await realpath(root), await realpath(place).catch(() => '/'));
      return path.split(sep).some((part) => part === '..' || part === 'node_modules') ? undefined : join(root, path);
    }
    if (info || folder === root) return undefined;
  }
}
