import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { isInside } from './inside.ts';
import { type PackageManager, packageManagerOf } from './lockfiles.ts';
import { holdsAny, manifestIn, type RawManifest, scriptsWith, stringsIn } from './manifest.ts';

/** An unpacked repository and the application in it. */
export interface Project {
  /** The root folder of the repository. */
  readonly root: string;
  /** The folder of the application, in which it is built and started. */
  readonly folder: string;
  readonly manifest: RawManifest;
  /** The folder of the dependencies: the application's, or the root of the workspaces it belongs to. */
  readonly installAt: string;
  readonly installManifest: RawManifest;
  readonly workspaces: boolean;
  readonly manager: PackageManager;
}

/**
 * Reads a repository whose application is in the folder `path`, empty for the root. Throws an Error with one sentence
 * when there is no such folder or no package.json in it, or when its package manager is not supported.
 */
export async function readProject(root: string, path: string, settings: Settings = {}): Promise<Project> {
  const folder = await folderIn(root, path);
  const manifest = await manifestIn(folder);
  const installAt = await workspacesAbove(root, folder);
  const installManifest = installAt === folder ? manifest : await manifestIn(installAt);
  const manager = await packageManagerOf(installAt, installManifest, settings);
  return {
    root,
    folder,
    manifest,
    installAt,
    installManifest,
    workspaces: await hasWorkspaces(installAt, installManifest),
    manager,
  };
}

/** Throws an Error with one sentence when a folder of a project has become a link out of the repository. */
export async function checkFolders({ root, folder, installAt }: Project): Promise<void> {
  for (const one of new Set([folder, installAt])) {
    // What is not there is not followed.
    if (await isInside(root, one).catch(() => true)) continue;
    throw new Error(`The folder ${relative(root, one)} is a link that leads out of the repository.`);
  }
}

async function folderIn(root: string, path: string): Promise<string> {
  const folder = join(root, path);
  const shown = path === '' ? 'the root of the repository' : `the folder ${path} of the repository`;
  const real = await realpath(folder).catch(() => undefined);
  // A link within the repository is followed; one that leads out of it is not.
  const inside = real !== undefined && !relative(await realpath(root), real).startsWith('..');
  if (!inside || !(await stat(real)).isDirectory()) throw new Error(`There is no ${shown.replace(/^the /, '')}.`);
  if (existsSync(join(folder, 'package.json'))) return folder;
  throw new Error(`There is no package.json in ${shown}.`);
}

/** Returns the nearest folder above with workspaces, unless the application has its own lockfile. */
async function workspacesAbove(root: string, folder: string): Promise<string> {
  const lockfiles = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];
  if (lockfiles.some((file) => existsSync(join(folder, file)))) return folder;
  for (let above = folder; above !== root; ) {
    above = dirname(above);
    if (await hasWorkspaces(above, await manifestIn(above))) return above;
  }
  return folder;
}

async function hasWorkspaces(folder: string, manifest: RawManifest): Promise<boolean> {
  return holdsAny(manifest, ['workspaces']) || existsSync(join(folder, 'pnpm-workspace.yaml'));
}

/** Returns the project with the script that a setting puts in place of its own. */
export function withBuild(project: Project, settings: Settings): Project {
  const scripts = scriptsWith(stringsIn(project.manifest, 'scripts'), settings);
  const manifest = { ...project.manifest, scripts };
  return { ...project, manifest, ...(project.installAt === project.folder && { installManifest: manifest }) };
}
