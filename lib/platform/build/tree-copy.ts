import { closeSync, constants, fstatSync, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { isInside } from '../../builder/inside.ts';
import { openInPlace, pathOf } from '../../files/opened.ts';

/**
 * The content of a folder right after npm has filled it: folders in order, links, and files with size and time of
 * change.
 */
export const treeSchema = v.object({
  folders: v.array(v.string()),
  links: v.array(v.string()),
  files: v.array(v.tuple([v.string(), v.number(), v.number()])),
});
type Tree = v.InferOutput<typeof treeSchema>;

/** Lists a folder: paths are relative to it, times in milliseconds. */
export async function listTree(root: string): Promise<Tree> {
  const tree: Tree = { folders: [], links: [], files: [] };
  const walk = async (folder: string): Promise<void> => {
    tree.folders.push(folder);
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return walk(path);
        if (entry.isSymbolicLink()) return void tree.links.push(path);
        const { size, mtimeMs } = await lstat(join(root, path));
        tree.files.push([path, size, mtimeMs]);
      }),
    );
  };
  await walk('');
  tree.folders.sort();
  return tree;
}

/**
 * Copies the listed files of one folder to a new one and returns the list of the copy. Returns `undefined`, and removes
 * the copy, when a file differs from the list or changes during the copy, or when a link is on the way to it: the release may
 * run, and make one out of `within` to anything that the service can read. Files that are not listed are left out.
 * Blocks are shared where the file system can (https://man7.org/linux/man-pages/man2/ioctl_ficlonerange.2.html).
 */
export async function copyTree(from: string, to: string, tree: Tree, within: string): Promise<Tree | undefined> {
  try {
    const real = await realpath(from);
    if (!(await isInside(within, real))) return undefined;
    for (const folder of tree.folders) await mkdir(join(to, folder), { recursive: true });
    for (const link of tree.links) await symlink(await readlink(join(real, link)), join(to, link));
    const files = tree.files.values();
    // As many at a time as Node has threads for files.
    const copies = await Promise.all(Array.from({ length: 4 }, () => copyFiles(real, to, files)));
    return { ...tree, files: copies.flat() };
  } catch {
    await rm(to, { recursive: true, force: true, maxRetries: 3 });
    return undefined;
  }
}

async function copyFiles(from: string, to: string, files: IterableIterator<Tree['files'][number]>) {
  const copies: Tree['files'] = [];
  for (const [path, size, mtimeMs] of files) {
    const target = join(to, path);
    const source = await copyOpened(join(from, path), target);
    // Compared after the copy, so that a write before it and one during it are both noticed.
    if (source.size !== size || source.mtimeMs !== mtimeMs) throw new Error(`${path} has changed`);
    const copy = await lstat(target);
    copies.push([path, copy.size, copy.mtimeMs]);
  }
  return copies;
}

/** Copies a file that is no link, and that no link leads to. Returns what it is after that. */
async function copyOpened(path: string, target: string): Promise<Stats> {
  const descriptor = openInPlace(path);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is no file any more`);
    await copyFile(pathOf(descriptor, path), target, constants.COPYFILE_FICLONE);
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
