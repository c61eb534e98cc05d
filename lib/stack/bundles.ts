import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type OutputFile } from 'esbuild';
import { bundlePage } from './page-bundle.ts';

/**
 * Bundled CommonJS dependencies call `require` for Node's own modules; an ES module has none.
 * https://github.com/evanw/esbuild/issues/1921
 */
const requireBanner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  // The oldest Node that runs the bundles, which is that of local installations; Lambda has a newer one.
  target: 'node20',
  format: 'esm',
  // ES modules first: esbuild can remove unused code only from those, which halves the bundles with SDK clients.
  mainFields: ['module', 'main'],
  minify: true,
  // Code that is imported on demand gets files of its own. In one file Node would read all of it at every cold start,
  // and a third of the SDK is logins that no function on Lambda uses.
  splitting: true,
  legalComments: 'none',
  banner: { js: requireBanner },
  logLevel: 'silent',
};

/** The folder of the page's sources, and the function that serves it. */
const PAGE = { source: 'page', function: 'api-page' };

/** The folders that `bundle` reads and writes. */
export interface BundleOptions {
  /** Folder with one folder per function, each with a `handler.ts` that exports `handler`. */
  readonly functions: string;
  /** Folder for `<function>/index.mjs` with what it imports, and for the source maps in `maps/<function>/`. */
  readonly outdir: string;
}

/** Returns the names of the functions in a folder, sorted: its folders that have a `handler.ts`. */
export async function functionNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'handler.ts')))
    .map((entry) => entry.name)
    .sort();
}

/**
 * Bundles every function of a folder, each by itself, and the page beside the function that serves it, and returns the
 * functions' names. The same sources produce the same bytes.
 * Throws esbuild's `BuildFailure`, which names file and line, when a source does not build; nothing is written then.
 *
 * All in this process: CDK's `NodejsFunction` starts one process per function, which takes longer than the rest of a
 * first start. The source maps are not in the deployed folders: they are larger than the code, and Lambda would load
 * them at every cold start.
 */
export async function bundle({ functions, outdir }: BundleOptions): Promise<string[]> {
  const names = await functionNames(functions);
  const bundles = await Promise.all(names.map(async (name) => ({ name, files: await bundleOne(functions, name) })));
  await Promise.all(bundles.flatMap(({ name, files }) => files.map((file) => write(target(outdir, name, file), file))));
  await bundlePage(join(functions, PAGE.source), join(outdir, PAGE.function, 'page'));
  return names;
}

async function bundleOne(functions: string, name: string): Promise<readonly OutputFile[]> {
  const { outputFiles = [] } = await build({
    ...options,
    entryPoints: [{ in: join(functions, name, 'handler.ts'), out: 'index' }],
    // Nothing is written there; it only determines the names, and must be the same for every function.
    outdir: join(functions, 'out'),
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    write: false,
  });
  return outputFiles;
}

function target(outdir: string, name: string, { path }: OutputFile): string {
  return path.endsWith('.map') ? join(outdir, 'maps', name, basename(path)) : join(outdir, name, basename(path));
}

async function write(path: string, { contents }: OutputFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
