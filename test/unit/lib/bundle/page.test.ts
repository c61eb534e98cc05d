import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundlePage } from '../../../../lib/bundle/page.ts';
import { newFolder } from '../../../support/new-folder.ts';

/** What the page may take on a slow connection, all files together. */
const MAX_GZIP_BYTES = 60_000;

describe('the bundle of the page', () => {
  let folder: string;
  beforeAll(async () => {
    folder = newFolder('page');
    await bundlePage('lib/page', folder);
  });

  it('is below 60 kB with gzip', async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
    const sizes = await Promise.all(files.map(async (name) => (await readFile(join(folder, name))).length));
    expect(files.map((name) => name.split('.').at(-2)).sort()).toEqual(['css', 'js', 'svg']);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('requests nothing from another origin', async () => {
    const names = (await readdir(folder)).filter((name) => /\.(js|css)$/.test(name));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    // Addresses in texts and namespaces are not requested; imports, style sheets and fonts would be.
    expect(texts.join('\n')).not.toMatch(/(?:import\s*\(?\s*|@import\s+|url\(\s*)["']?https?:/);
  });
});
