import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import type { Made } from './bundle.mjs';

const options: BuildOptions = {
  bundle: true,
  platform: 'browser',
  // Browsers of the last two years.
  target: ['chrome123', 'firefox121', 'safari17.5'],
  format: 'esm',
  minify: true,
  // The name changes with the content, so that a browser may keep a file for ever.
  entryNames: '[name]-[hash]',
  loader: { '.svg': 'copy' },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'silent',
};

/** The files of the page that its document names. */
interface Assets {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/**
 * Bundles the page for browsers: every file as it is, with gzip and with brotli, named for its content, and
 * `assets.json`, which says which is which. Does nothing in a folder without a page. The same sources produce the same
 * bytes.
 */
export async function bundlePage(source: string, outdir: string): Promise<Made> {
  if (!existsSync(join(source, 'main.tsx'))) return { inputs: [], outputs: [] };
  // Loaded only when there is something to bundle.
  const { build } = await import('esbuild');
  const { outputFiles = [], metafile } = await build({
    ...options,
    metafile: true,
    entryPoints: [join(source, 'main.tsx'), join(source, 'icon.svg')],
    outdir: source,
    write: false,
  });
  await mkdir(outdir, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => ({ path: join(outdir, basename(path)), contents }));
  for (const { path, contents } of files) await writeCompressed(path, contents);
  const assets = join(outdir, 'assets.json');
  await writeFile(assets, JSON.stringify(assetsOf(files.map(({ path }) => basename(path)))));
  return {
    inputs: Object.keys(metafile.inputs).map((path) => resolve(path)),
    outputs: [assets, ...files.flatMap(({ path }) => [path, `${path}.gz`, `${path}.br`])],
  };
}

async function writeCompressed(path: string, contents: Uint8Array): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all([
    writeFile(path, contents),
    writeFile(`${path}.gz`, gzipSync(contents, { level: constants.Z_BEST_COMPRESSION })),
    writeFile(`${path}.br`, brotliCompressSync(contents, { params })),
  ]);
}

function assetsOf(names: readonly string[]): Assets {
  const ending = (extension: string) => {
    const file = names.find((name) => extname(name) === extension);
    if (file === undefined) throw new Error(`The page has no ${extension} file.`);
    return file;
  };
  return { script: ending('.js'), style: ending('.css'), icon: ending('.svg') };
}
