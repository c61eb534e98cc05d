import { closeSync, constants, existsSync, openSync, type Stats } from 'node:fs';
import { lstat, mkdir, readlink, realpath, rename, symlink } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { hasCode } from './errors.ts';
import { isNameLike } from './name-pattern.ts';
import { entriesIn, pathOf, UNFOLLOWED } from './opened.ts';
import { BESIDE } from './sqlite-files.ts';
import { isThere, removeTree } from './tree.ts';

/** A release of an application, as far as its files tell what it has written. */
export interface BuiltRelease {
  /** The unpacked repository. */
  readonly root: string;
  /** The application in it, from which kept paths lead. */
  readonly folder: string;
  /** When its build had ended; what is older is of the commit or of the build. */
  readonly since: number;
}

/** What a release has at these paths is newer than what is kept. */
export interface KeptFiles extends Omit<BuiltRelease, 'since'> {
  readonly paths: readonly string[];
}

interface Keeping {
  readonly release: BuiltRelease;
  /** The application's own folder, in which they lie. */
  readonly dataDir: string;
  readonly paths: readonly string[];
  readonly keptFiles?: KeptFiles | undefined;
}

/**
 * Puts links to what is kept in its places in a release, which does not run. The first content is that of `keptFiles`, else what
 * the release has there itself, else a folder, or nothing for a name with an extension. What was kept before `keptFiles` lies
 * beside it then, as `….before`. A second call changes nothing. Throws when a place lies in a link.
 */
export async function linkKept({ release, dataDir, paths, keptFiles }: Keeping): Promise<void> {
  for (const path of paths) {
    const [built, kept] = [join(release.folder, path), keptPlace(dataDir, path)];
    await within(dataDir, dirname(kept), (keptIn) =>
      within(release.root, dirname(built), async (folder) => {
        const [place, to] = [join(folder, basename(built)), join(keptIn, basename(kept))];
        if (keptFiles?.paths.includes(path)) await takeOver(keptFiles, path, { kept, to });
        if ((await readlink(place).catch(() => undefined)) === kept) return;
        if (!(await isThere(to))) await move(place, to);
        if (extname(built) === '' && !(await isThere(to))) await mkdir(to);
        await removeTree(place);
        await symlink(kept, place);
      }),
    );
  }
}

/** Returns the paths at which an application has replaced a link, as one does that writes a file anew and then renames it. */
export async function replacedIn(
  { folder, since }: BuiltRelease,
  paths: readonly string[],
): Promise<readonly string[]> {
  const files = await Promise.all(paths.map((path) => lstat(join(folder, path)).catch(() => undefined)));
  return paths.filter((_, at) => {
    const one = files[at];
    return one !== undefined && !one.isSymbolicLink() && isYounger(one, since);
  });
}

/** Whether a file was written after that time. A moved or copied file may look older. */
export function isYounger({ mtimeMs, birthtimeMs }: Stats, since: number): boolean {
  return Math.max(mtimeMs, birthtimeMs) > since;
}

/** Where what an application has at a path is kept. */
export function keptPlace(dataDir: string, path: string): string {
  return join(dataDir, 'kept', ...path.split('/').map((name) => (name === '..' ? '_' : name)));
}

/** Entries of folders that are compared with patterns. */
const MOST_ENTRIES = 20_000;

/**
 * Returns the paths that are kept: a pattern stands for what there is in one of these releases, or is kept already. What lies
 * in a kept folder is kept with it. Throws an Error with one sentence when more entries than a start has time for have to be
 * compared with the patterns.
 */
export async function keptPaths(
  keep: readonly string[],
  dataDir: string,
  releases: readonly Omit<BuiltRelease, 'since'>[],
): Promise<readonly string[]> {
  const real = (folder: string) => realpath(folder).catch(() => folder);
  const kept = await real(dataDir);
  const places = [(path: string) => keptPlace(kept, path)];
  for (const { root, folder } of releases) {
    const at = join(await real(root), relative(root, folder));
    places.push((path) => join(at, path));
  }
  const paths = new Set<string>();
  const search: Search = { paths, left: MOST_ENTRIES };
  for (const pattern of keep) {
    if (!pattern.includes('*')) paths.add(pattern);
    else for (const placeOf of places) await match(search, placeOf, '', pattern.split('/'));
  }
  return [...paths].filter((path) => !foldersOf(path).some((folder) => paths.has(folder)));
}

/** What says how a release is built and started; no pattern is meant to keep that of another commit. */
const OF_COMMIT = /^(?:package(?:-lock)?\.json|tsconfig.*\.json|app\.json|Procfile)$/;

interface Search {
  readonly paths: Set<string>;
  /** How many entries are looked at yet. */
  left: number;
}

async function match(
  search: Search,
  placeOf: (path: string) => string,
  at: string,
  [part = '', ...rest]: readonly string[],
): Promise<void> {
  for (const name of await namesLike(search, placeOf(at), part)) {
    const path = join(at, name);
    if (rest.length > 0) await match(search, placeOf, path, rest);
    else if (existsSync(placeOf(path))) search.paths.add(path);
  }
}

async function namesLike(search: Search, folder: string, part: string): Promise<readonly string[]> {
  search.left -= 1;
  const entries = part.includes('*') ? await entriesIn(folder, Math.max(search.left, 0) + 1) : [{ name: part }];
  search.left -= entries.length;
  if (search.left < 0) {
    throw new Error(
      `The patterns of "keep" are compared with at most ${MOST_ENTRIES} files and folders, and there are more: keep their folder.`,
    );
  }
  return entries.flatMap(({ name }) => (isNameLike(part, name) && !OF_COMMIT.test(name) ? [name] : []));
}

/** Returns the folders in which a path lies. */
function foldersOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'));
}

/** Moves what an ended release has written to where it is kept; a link lets that release run again. */
async function takeOver(
  { root, folder }: KeptFiles,
  path: string,
  { kept, to }: { readonly kept: string; readonly to: string },
): Promise<void> {
  const written = join(folder, path);
  await within(root, dirname(written), async (from) => {
    const place = join(from, basename(written));
    const file = await lstat(place).catch(() => undefined);
    if (file?.isSymbolicLink() !== false) return;
    if (await isThere(to)) {
      await removeTree(`${to}.before`);
      await move(to, `${to}.before`);
    }
    await move(place, to);
    await symlink(kept, place);
  });
}

/** Moves a file or a folder, and what SQLite has beside it. Without one it does nothing. */
async function move(from: string, to: string): Promise<void> {
  for (const end of ['', ...BESIDE]) {
    await rename(`${from}${end}`, `${to}${end}`).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }
}

/**
 * Makes a folder below another one, and does something with a path to it that stays while it does: processes of the application
 * may run, and put a link in place of a folder. Throws when a link, or a file, is on the way.
 */
async function within(root: string, folder: string, work: (folder: string) => Promise<void>): Promise<void> {
  let [at, descriptor] = [root, openSync(root, constants.O_RDONLY)];
  try {
    for (const name of relative(root, folder).split(sep).filter(Boolean)) {
      if (name === '..') throw new Error('What is kept must be in the repository.');
      const place = join(pathOf(descriptor, at), name);
      at = join(at, name);
      await mkdir(place).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
      const above = descriptor;
      descriptor = openFolder(place, relative(root, at));
      closeSync(above);
    }
    await work(pathOf(descriptor, at));
  } finally {
    closeSync(descriptor);
  }
}

function openFolder(place: string, shown: string): number {
  try {
    return openSync(place, UNFOLLOWED | constants.O_DIRECTORY);
  } catch (cause) {
    throw new Error(`Nothing can be kept in ${shown}, which is a link or a file.`, { cause });
  }
}
