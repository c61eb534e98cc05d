import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuiltRelease, isYounger } from '../../files/kept-files.ts';
import { entriesIn } from '../../files/opened.ts';
import { isDatabase } from '../../files/sqlite-files.ts';

/** What a release has written into itself, or into its home, as paths from the folder of the application, or from its home. */
export interface Written {
  readonly files: readonly string[];
  /** The files that are SQLite databases. */
  readonly databases: readonly string[];
  /** The uppermost folders with nothing else in them, and the other files: what has to be kept. */
  readonly places: readonly string[];
}

/** A release has some thousand files without its modules; a look at them must not hold up a deploy. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 16;
/** What tools make again by themselves: caches, what frameworks generate, logs and histories, their own settings. */
const MADE_AGAIN = [
  /(?:^|\/)\.(?:git|cache|\w+-cache|npm|yarn|bun|pm2|pnpm-store|turbo|nx|angular|nuxt|svelte-kit|astro|vite|docusaurus|strapi)$/,
  // The folder of a standalone server of Next lies in there, and has such a folder too.
  /(?:^|\/)\.next\/(?!standalone$)[^/]+$/,
  /(?:^|\/)node_modules\/\.[^/]+$/,
  /(?:^|\/)(?:npm-debug|yarn-debug|yarn-error|pnpm-debug)\.log[^/]*$/,
  /^\.config\/(?:configstore|nextjs-nodejs|astro|turborepo)$/,
  /^\.\w+_history$/,
  // Nuxt Content's, made from the files of the site at each start.
  /(?:^|\/)contents\.sqlite$/,
];
/** Files beside a database; the other one of SQLite (`-shm`) is made by readers too. */
const JOURNAL = /-(?:wal|journal)$/;
const SHARED_MEMORY = /-shm$/;
const MODULES = /(?:^|\/)node_modules$/;

/**
 * Returns what a release has written into itself. Links are not followed, and of `node_modules` only the files in the folder
 * itself are looked at. Of one that was unpacked again after that time nothing is known.
 */
export async function writtenBy({ root, folder, since }: BuiltRelease): Promise<Written> {
  const isLater = await stat(root).then(
    ({ birthtimeMs }) => birthtimeMs > since,
    () => true,
  );
  const real = await realpath(root).catch(() => root);
  const search: Search = {
    root: real,
    since,
    files: new Set(),
    databases: new Set(),
    left: isLater ? 0 : MOST_ENTRIES,
  };
  const { places } = await look(search, '', 0);
  const shown = (paths: Iterable<string>) =>
    [...new Set(paths)].sort().map((path) => relative(folder, join(root, path)));
  return { files: shown(search.files), databases: shown(search.databases), places: shown(places) };
}

interface Search extends Pick<BuiltRelease, 'root' | 'since'> {
  readonly files: Set<string>;
  readonly databases: Set<string>;
  /** How many entries are looked at yet. */
  left: number;
}

/** Looks through a folder. Returns what is to be kept of it: itself, unless something of the commit or of the build is in it. */
async function look(
  search: Search,
  at: string,
  depth: number,
): Promise<{ readonly places: readonly string[]; readonly isOwn: boolean }> {
  if (depth > DEEPEST) return { places: [], isOwn: true };
  const places: string[] = [];
  let isOwn = depth === 0;
  for (const entry of await entriesIn(join(search.root, at), search.left + 1)) {
    const path = join(at, entry.name);
    search.left -= 1;
    if (search.left < 0) return { places, isOwn: true };
    if (SHARED_MEMORY.test(path)) continue;
    if (MADE_AGAIN.some((one) => one.test(path))) isOwn = true;
    else if (entry.isDirectory()) {
      const inside = MODULES.test(at) ? { places: [], isOwn: true } : await look(search, path, depth + 1);
      isOwn ||= inside.isOwn;
      places.push(...inside.places);
    } else if (entry.isFile() && (await isWritten(search, path))) places.push(await note(search, path));
    // A folder that the commit has only for what is written holds a file such as .gitkeep.
    else isOwn ||= !entry.name.startsWith('.');
  }
  return { places: isOwn || places.length === 0 ? places : [at], isOwn };
}

/** Notes a file, or the database whose journal it is, and returns which. */
async function note({ root, files, databases }: Search, path: string): Promise<string> {
  const file = path.replace(JOURNAL, '');
  files.add(file);
  if (await isDatabase(join(root, file))) databases.add(file);
  return file;
}

/** Whether a file is younger than that time. An empty journal is that of a reader. */
async function isWritten({ root, since }: Search, path: string): Promise<boolean> {
  const file = await lstat(join(root, path)).catch(() => undefined);
  if (!file || (JOURNAL.test(path) && file.size === 0)) return false;
  return isYounger(file, since);
}

const SHOWN_FILES = 3;

/** Returns what is said of files that end with the release that has written them; undefined when there are none. */
export function lossOf(files: readonly string[], way: string): string | undefined {
  if (files.length === 0) return undefined;
  const more = files.length - SHOWN_FILES;
  const names = [...files.slice(0, SHOWN_FILES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `The release before wrote ${names}, which ${files.length > 1 ? 'end' : 'ends'} with it: ${way}.`;
}
