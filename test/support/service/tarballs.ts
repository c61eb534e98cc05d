import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** One entry of a tarball: its header and, for files, what is in it. */
export type TarballEntry = Partial<Header> & Pick<Header, 'name'> & { readonly content?: string | Buffer };

/** A gzip tarball of these entries, however hostile. */
export function tarball(entries: readonly TarballEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  return buffer(archive).then((bytes) => gzipSync(bytes, { level: 1 }));
}

/** The tarball of a commit, in the one root folder that repository hosts give it. */
export function commitTarball(
  files: Readonly<Record<string, string | Uint8Array>>,
  root = 'octo-app-1a2b3c4',
): Promise<Buffer> {
  const entries = Object.entries(files).map(([path, content]) => [`${root}/${path}`, Buffer.from(content)] as const);
  return tarball(entries.map(([name, content]) => ({ name, content })));
}
