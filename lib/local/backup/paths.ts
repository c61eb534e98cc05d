import { type Dirent, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';

/** The folder of an application that outlives its deploys: what it stores there has any name. */
const DATA = /^(platform\/apps\/[^/]+\/[^/]+\/data)\//;

/** An entry of a folder, with its path below the data folder. */
export interface Place {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/**
 * Returns a path below a folder for the system. Such paths are text with a character for each byte (Latin-1), because names
 * may have bytes that are no UTF-8.
 */
export function at(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/**
 * Returns where paths below a data folder are, without links of the operator in what applications write to: the data folder may
 * be one, and so may a part of it.
 */
export function placesOf(folder: string): (path: string) => Buffer {
  const platform = once(() => realpathSync(join(folder, 'platform')));
  return (path) => (isOfApplication(path) ? at(platform(), path.slice('platform/'.length)) : at(folder, path));
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns such a path as the text that people read. */
export function shown(path: string): string {
  return Buffer.from(path, 'latin1').toString();
}

export async function placesIn(folder: string, path: string): Promise<readonly Place[]> {
  const entries = await readdir(at(folder, path), { encoding: 'buffer', withFileTypes: true });
  return entries.map((entry) => ({ path: posix.join(path, entry.name.toString('latin1')), kind: kindOf(entry) }));
}

export function isOfApplication(path: string): boolean {
  return DATA.test(path);
}

/**
 * Whether a link with this text is one of an application to a place in its own folder, which is so in any data folder. A link
 * is never followed.
 */
export function staysInside(path: string, target: string): boolean {
  const [, data] = DATA.exec(path) ?? [];
  return data !== undefined && !target.startsWith('/') && `${posix.join(path, '..', target)}/`.startsWith(`${data}/`);
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): Place['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
