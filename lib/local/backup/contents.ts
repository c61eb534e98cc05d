import { lstat, open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hasCode } from '../../files/errors.ts';

/** The files of a data folder that a backup has, by their paths in it. */
interface Contents {
  /** Copied as they are, in this order. */
  readonly files: readonly string[];
  /** SQLite databases, which are written to while they are read: a snapshot of each is taken. */
  readonly databases: readonly string[];
}

/** The parts of a data folder that a start cannot make again. */
export const PARTS = [
  'config.json',
  'password',
  'passwords',
  'ports.json',
  'token.key',
  'service.db',
  'repositories',
  'platform',
];

/** Built, installed or fetched again; addresses and processes of the running service. */
const LEFT_OUT = [
  /^platform\/(?:user-caches|npm-cache|caches|tools|unpack\.cjs.*|groups\.json)$/,
  /^platform\/apps\/[^/]+\/[^/]+\/(?:releases|stamps|spares|build-caches|app\.log[^/]*)$/,
  /^repositories\/(?:running\.json|groups\.json|post-receive\.mjs.*|follow\.mjs.*|empty\.git)$/,
  /\.(?:part|tmp|lock)$/,
];
const OF_DATABASES = /-(?:wal|shm|journal)$/;
const HEADER = 'SQLite format 3\0';

/** Returns what a backup of the data folder has. References of repositories come before the objects that they need. */
export async function contentsOf(dataDir: string): Promise<Contents> {
  const found: string[] = [];
  for (const part of PARTS) await collect(dataDir, part, found);
  const databases: string[] = [];
  for (const path of found) if (mayBeDatabase(path) && (await isDatabase(join(dataDir, path)))) databases.push(path);
  const beside = new Set(databases.flatMap((path) => ['-wal', '-shm', '-journal'].map((end) => path + end)));
  const files = found.filter((path) => !databases.includes(path) && !(OF_DATABASES.test(path) && beside.has(path)));
  return { files: [...files.filter((path) => !isObject(path)), ...files.filter(isObject)], databases };
}

async function collect(dataDir: string, path: string, found: string[]): Promise<void> {
  if (LEFT_OUT.some((pattern) => pattern.test(path))) return;
  const entries = await readdir(join(dataDir, path), { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    if (hasCode(error, 'ENOTDIR')) return 'file' as const;
    throw error;
  });
  if (entries === 'file') found.push(path);
  if (entries === null || entries === 'file') return;
  // An empty folder is part of a repository too.
  if (entries.length === 0) found.push(path);
  for (const entry of entries) {
    const inner = relative(dataDir, join(dataDir, path, entry.name));
    if (entry.isDirectory()) await collect(dataDir, inner, found);
    else if ((entry.isFile() || entry.isSymbolicLink()) && !LEFT_OUT.some((pattern) => pattern.test(inner)))
      found.push(inner);
  }
}

function isObject(path: string): boolean {
  return /^repositories\/.*\.git\/objects\//.test(path);
}

function mayBeDatabase(path: string): boolean {
  return path === 'service.db' || /^platform\/apps\/[^/]+\/[^/]+\/data\//.test(path);
}

async function isDatabase(file: string): Promise<boolean> {
  // A link is copied as a link; to open one to a named pipe would wait for a writer.
  if (!(await lstat(file).catch(() => null))?.isFile()) return false;
  const handle = await open(file).catch(() => null);
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEADER.length), position: 0 });
    return bytesRead === HEADER.length && buffer.toString('latin1') === HEADER;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}
