// zip -qry[0-9] ARCHIVE PATH…, for machines without it: folders with all that is in them, modes, and links as links.
// Plain JavaScript, because it is run as a command.
import { createWriteStream, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

const [, , ...words] = process.argv;
const [archive, ...paths] = words.filter((word) => !word.startsWith('-'));
const unknown = words.filter((word) => word.startsWith('-') && !/^-[qry0-9]+$/.test(word));
if (archive === undefined || paths.length === 0 || unknown.length > 0) {
  process.stderr.write(`zip error: this zip knows -q, -r, -y and -0 to -9, not ${unknown.join(' ')}\n`);
  process.exit(16);
}

const zip = new yazl.ZipFile();
for (const path of paths) add(normalize(path));
zip.end();
await pipeline(zip.outputStream, createWriteStream(archive));

function add(path) {
  const { mode, mtime, size, isFile, isFolder, isLink } = kindOf(path);
  if (isLink) zip.addBuffer(Buffer.from(readlinkSync(path)), path, { mode, mtime });
  else if (isFile) zip.addFile(path, path, { mode, mtime, compress: size > 0 });
  if (!isFolder) return;
  if (path !== '.') zip.addEmptyDirectory(path, { mode, mtime });
  for (const name of readdirSync(path).sort()) add(join(path, name));
}

function kindOf(path) {
  const stats = lstatSync(path);
  return {
    ...stats,
    mtime: stats.mtime,
    isFile: stats.isFile(),
    isFolder: stats.isDirectory(),
    isLink: stats.isSymbolicLink(),
  };
}
