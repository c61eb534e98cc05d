import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, type Stats } from 'node:fs';
import { lstat, mkdir, readlink, realpath, rename, symlink } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './errors.ts';
import { entriesIn, pathOf, UNFOLLOWED } from './opened.ts';
import { BESIDE } from './sqlite-files.ts';

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
export interface Takes extends Omit<BuiltRelease, 'since'> {
  readonly paths: readonly string[];
}

interface Keeping {
  readonly release: BuiltRelease;
  /** The application's own folder, in which they lie. */
  readonly dataDir: string;
  readonly paths: readonly string[];
  readonly takes?: Takes | undefined;
}

/**
 * Puts links to what is kept in its places in a release, which does not run. The first content is that of `takes`, else what
 * the release has there itself, else a folder, or nothing for a name with an extension. What was kept before `takes` lies
 * beside it then, as `….before`. A second call changes nothing. Throws when a place lies in a link.
 */
export async function linkKept({ release, dataDir, paths, takes }: Keeping): Promise<void> {
  for (const path of paths) {
    const [built, kept] = [join(release.folder, path), keptPlace(dataDir, path)];
    await within(dataDir, dirname(kept), (keptIn) =>
      within(release.root, dirname(built), async (folder) => {
        const [place, to] = [join(folder, basename(built)), join(keptIn, basename(kept))];
        if (takes?.paths.includes(path)) await takeOver(takes, path, { kept, to });
        if ((await readlink(place).catch(() => undefined)) === kept) return;
        if (!(await isThere(to))) await move(place, to);
        if (extname(built) === '' && !(await isThere(to))) await mkdir(to);
        await remove(place);
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

/** Whether a file was written after that time. One that was moved or copied may say that it is older. */
export function isYounger({ mtimeMs, birthtimeMs }: Stats, since: number): boolean {
  return Math.max(mtimeMs, birthtimeMs) > since;
}

/** Where what an application has at a path is kept. */
export function keptPlace(dataDir: string, path: string): string {
  return join(dataDir, 'kept', ...path.split('/').map((name) => (name === '..' ? '_' : name)));
}

/**
 * Returns the paths that are kept: a pattern stands for what there is in one of these releases, or is kept already. What lies
 * in a kept folder is kept with it.
 */
export async function keptPaths(
  keep: readonly string[],
  dataDir: string,
  releases: readonly Omit<BuiltRelease, 'since'>[],
): Promise<readonly string[]> {
  const real = (folder: string) => realpath(folder).catch(() => folder);
  const kept = await real(dataDir);
  const folders = releases.map(async ({ root, folder }) => join(await real(root), relative(root, folder)));
  const inFolders = (await Promise.all(folders)).map((folder) => (path: string) => join(folder, path));
  const matches = keep.flatMap((pattern) =>
    [(path: string) => keptPlace(kept, path), ...inFolders].map((placeOf) =>
      pattern.includes('*') ? matching(placeOf, '', pattern.split('/')) : [pattern],
    ),
  );
  const paths = [...new Set((await Promise.all(matches)).flat())];
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

/** What says how a release is built and started; no pattern is meant to keep that of another commit. */
const OF_COMMIT = /^(?:package(?:-lock)?\.json|tsconfig.*\.json|app\.json|Procfile)$/;

async function matching(
  placeOf: (path: string) => string,
  at: string,
  [part = '', ...rest]: readonly string[],
): Promise<readonly string[]> {
  const names = part.includes('*') ? entriesIn(placeOf(at)).map(({ name }) => name) : [part];
  const paths = names
    .filter((name) => nameLike(part).test(name) && !OF_COMMIT.test(name))
    .map((name) => join(at, name));
  if (rest.length === 0) return paths.filter((path) => existsSync(placeOf(path)));
  return (await Promise.all(paths.map((path) => matching(placeOf, path, rest)))).flat();
}

/** As in a shell, `*` stands for no hidden file. */
function nameLike(part: string): RegExp {
  const text = part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\*+/g, '[^/]*');
  return new RegExp(`^${part.startsWith('*') ? String.raw`(?!\.)` : ''}${text}$`);
}

/** Moves what an ended release has written to where it is kept; a link lets that release run again. */
async function takeOver(
  { root, folder }: Takes,
  path: string,
  { kept, to }: { readonly kept: string; readonly to: string },
): Promise<void> {
  const written = join(folder, path);
  await within(root, dirname(written), async (from) => {
    const place = join(from, basename(written));
    const file = await lstat(place).catch(() => undefined);
    if (file?.isSymbolicLink() !== false) return;
    if (await isThere(to)) {
      await remove(`${to}.before`);
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

/** Removes a file or a folder as `rm` does, which follows no link that is put in place of a folder meanwhile. */
async function remove(path: string): Promise<void> {
  if (await isThere(path))
    await promisify(execFile)('rm', ['-rf', '--', `./${basename(path)}`], { cwd: dirname(path) });
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
