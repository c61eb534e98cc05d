import { readlink } from 'node:fs/promises';
import { hasCode } from '../../files/errors.ts';
import { BESIDE, isDatabase } from '../../files/sqlite-files.ts';
import { at, isOfApplication, placesIn, reasonOf, shown, staysInside } from './paths.ts';

/** A database of an application, with the files of its transactions that are beside it. */
export interface DatabaseFiles {
  readonly path: string;
  readonly beside: readonly string[];
}

/** What a backup has of the folders of a data folder, by paths in it. */
interface Contents {
  /** Files, links and folders, copied as they are, in this order. */
  readonly paths: readonly string[];
  /** SQLite databases, which are written to while they are read: a snapshot of each is taken. */
  readonly databases: readonly DatabaseFiles[];
  readonly files: number;
  /** Links that lead elsewhere; they are left out. */
  readonly links: readonly string[];
  /** Files and folders that cannot be read, each with the reason. */
  readonly unread: readonly string[];
}

/** The parts of a data folder that a start cannot make again. */
export const PARTS = [
  'config.json',
  'password',
  'passwords',
  'ports.json',
  'proxy.json',
  'token.key',
  'service.db',
  'repositories',
  'platform',
];

/** Built, installed or fetched again; addresses and processes of the running service; a removal that was killed. */
const LEFT_OUT = [
  /^platform\/(?:user-caches|tools|unpack\.cjs.*|(?:runner-)?groups\.json|(?:api|git|runner)\.sock|runner\.log|[\da-f-]{36}\.tmp)$/,
  /^platform\/apps\/[^/]+\/[^/]+\/(?:releases|homes|stamps|spares|build-caches|app\.log[^/]*|usage\.jsonl)$/,
  /^repositories\/(?:groups\.json|post-receive\.mjs.*|empty\.git|earlier-version)$/,
];
/** Files that kills have left: of the service's own writes, and of git's. */
const LEFTOVERS = [
  /^(?!.*\.git\/).*\.[\da-f]{12}\.(?:part|tmp)$/,
  // No name of a branch or a tag ends so: https://git-scm.com/docs/git-check-ref-format
  /^repositories\/.*\.git\/.*\.lock$/,
];
/** The longest path in the data folder. Systems take 4096 with the folder's own, and the one it is restored to may be longer. */
const MOST_BYTES = 3_900;

/** Returns what a backup of a data folder has. References of repositories come before the objects that they need. */
export async function contentsOf(dataDir: string): Promise<Contents> {
  const contents = { paths: [], files: [], links: [], unread: [] };
  for (const part of PARTS) await collect(dataDir, part, contents);
  return { ...contents, ...(await withDatabases(dataDir, contents)), files: contents.files.length };
}

interface Found {
  readonly paths: string[];
  readonly files: string[];
  readonly links: string[];
  readonly unread: string[];
}

async function collect(dataDir: string, folder: string, found: Found): Promise<void> {
  const places = await placesIn(dataDir, folder).catch((error: unknown) => {
    // Otherwise it is a file, or was removed meanwhile.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR'))
      found.unread.push(`${shown(folder)}: ${reasonOf(error)}`);
    return null;
  });
  if (!places) return;
  if (!PARTS.includes(folder)) found.paths.push(folder);
  for (const { path, kind } of places) {
    if (!isOfApplication(path) && [...LEFT_OUT, ...(kind === 'file' ? LEFTOVERS : [])].some((one) => one.test(path)))
      continue;
    if (path.length > MOST_BYTES) {
      found.unread.push(`${shown(path)}: the path is too long`);
      continue;
    }
    // Pipes, sockets and devices have no content.
    if (kind === 'other') continue;
    if (kind === 'link' && !staysInside(path, await readlink(at(dataDir, path), 'latin1').catch(() => '.'))) {
      found.links.push(path);
      continue;
    }
    if (kind === 'folder') await collect(dataDir, path, found);
    else found.paths.push(path);
    if (kind === 'file') found.files.push(path);
  }
}

async function withDatabases(dataDir: string, { paths, files }: Found): Promise<Pick<Contents, 'paths' | 'databases'>> {
  const names = new Set(files);
  const databases: DatabaseFiles[] = [];
  const apart = new Set<string>();
  for (const path of files) {
    if (!isOfApplication(path) || !(await isDatabase(at(dataDir, path)))) continue;
    databases.push({ path, beside: [`${path}-wal`, `${path}-journal`].filter((name) => names.has(name)) });
    for (const end of ['', ...BESIDE]) if (names.has(path + end)) apart.add(path + end);
  }
  const others = paths.filter((path) => !apart.has(path));
  return { paths: [...others.filter((path) => !isObject(path)), ...others.filter(isObject)], databases };
}

function isObject(path: string): boolean {
  return /^repositories\/.*\.git\/objects\//.test(path);
}
