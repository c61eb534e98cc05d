import { readFile } from 'node:fs/promises';
import { once } from '../../core/concurrency.ts';
import type { PageEncoding, PageFiles, PageNames } from '../../core/ports/page.ts';

const ENDINGS: Readonly<Record<PageEncoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * Returns the files of the page in a folder, as `lib/bundle/page.ts` writes them. What was read once stays in
 * memory: the files are small and never change.
 */
export function pageFiles(folder: URL): PageFiles {
  const names = once(
    async (): Promise<PageNames> => JSON.parse(await readFile(new URL('assets.json', folder), 'utf8')),
  );
  const contents = new Map<string, Promise<Uint8Array>>();
  const read = (file: string): Promise<Uint8Array> => {
    const bytes = contents.get(file) ?? readFile(new URL(file, folder));
    contents.set(file, bytes);
    return bytes;
  };
  return {
    names,
    // Only names of the list: a path could lead out of the folder.
    read: async (name, encoding) =>
      Object.values(await names()).includes(name) ? read(`${name}${ENDINGS[encoding]}`) : null,
  };
}
