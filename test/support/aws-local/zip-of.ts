import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** Of the files, so that the same ones make the same archive. */
const CHANGED = { mtime: new Date('2026-01-01T00:00:00Z') };

/** Returns a zip archive of files; a name that ends in `.sh` is executable. */
export async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(text), name, { mode: name.endsWith('.sh') ? 0o100755 : 0o100644, ...CHANGED });
  }
  zip.end();
  return buffer(zip.outputStream);
}
