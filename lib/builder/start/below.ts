import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesInside } from '../inside.ts';
import { manifestIn, packagesOf, stringsIn } from '../manifest.ts';
import { frameworkOf } from './frameworks.ts';

const MOST_READ = 200;
const MOST_NAMED = 5;

/**
 * Returns the folders below, at most two deep, with an application that says how it is started: by `scripts.start`, a
 * Procfile, or a framework whose build is served. At most five, by name.
 */
export async function applicationsBelow(root: string): Promise<readonly string[]> {
  const first = await foldersIn(root, '');
  const second = await Promise.all(first.map((folder) => foldersIn(root, folder)));
  const all = [...first, ...second.flat()].slice(0, MOST_READ);
  const starts = await Promise.all(all.map((folder) => saysHow(join(root, folder))));
  return all
    .filter((_, at) => starts[at])
    .sort()
    .slice(0, MOST_NAMED);
}

/** Returns the folders, at most two deep, with a site: an index.html and a name that can stand in a command. */
export async function sitesBelow(root: string): Promise<readonly string[]> {
  const first = await foldersIn(root, '');
  const second = await Promise.all(first.map((folder) => foldersIn(root, folder)));
  return [...first, ...second.flat()].filter(
    (folder) => /^[\w./-]+$/.test(folder) && existsSync(join(root, folder, 'index.html')),
  );
}

/** Returns the file that a person would start: one with a usual name in the root or where builds write, else the only one. */
export async function startFileIn(root: string, usual: readonly string[]): Promise<string | undefined> {
  const files = (await entriesInside(root)).filter((one) => one.isFile()).map(({ name }) => name);
  const programs = files.filter((name) => /^[\w-]+\.(?:[cm]?js|py)$/.test(name));
  const below = ['dist', 'build', 'src'].flatMap((folder) => usual.map((name) => `${folder}/${name}`));
  return (
    programs.find((name) => /^(?:server|app|main|index)\./.test(name)) ??
    below.find((file) => existsSync(join(root, file))) ??
    (programs.length === 1 ? programs[0] : undefined)
  );
}

async function foldersIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await entriesInside(join(root, folder));
  const folders = entries.filter(
    (one) => one.isDirectory() && !one.name.startsWith('.') && one.name !== 'node_modules',
  );
  return folders.slice(0, MOST_READ).map(({ name }) => join(folder, name));
}

async function saysHow(folder: string): Promise<boolean> {
  if (existsSync(join(folder, 'Procfile'))) return true;
  // What is wrong with one of them is not the cause.
  const manifest = await manifestIn(folder).catch(() => ({}));
  const { start, build } = stringsIn(manifest, 'scripts');
  return Boolean(start?.trim()) || (Boolean(build?.trim()) && frameworkOf(packagesOf(manifest)) !== undefined);
}
