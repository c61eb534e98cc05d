import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { bundlePage } from '../bundle/page.ts';

/**
 * Bundled CommonJS dependencies call `require` for Node's own modules; an ES module has none.
 * https://github.com/evanw/esbuild/issues/1921
 */
export const requireBanner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  // The oldest Node that runs the bundles, which is that of local installations; Lambda has a newer one.
  target: 'node20',
  format: 'esm',
  // ES modules first: esbuild can remove unused code only from those, which halves the bundles with SDK clients.
  mainFields: ['module', 'main'],
  // Code that is imported on demand gets separate files. In one file Node would read all of it at every cold start,
  // and a third of the SDK is logins that no function on Lambda uses.
  splitting: true,
  legalComments: 'none',
  outExtension: { '.js': '.mjs' },
  write: false,
  logLevel: 'silent',
};

/** The folder of the page's sources beside the functions, and the function that serves it. */
const PAGE = { source: '../lib/page', function: 'api-page' };

/** The folders that `bundle` reads and writes. */
interface BundleOptions {
  /** Folder with one folder per function, each with a `handler.ts` that exports `handler`. */
  readonly functions: string;
  /** Folder for `<function>/index.mjs` with what it imports, and for the source maps in `maps/<function>/`. */
  readonly outdir: string;
  /** Whether to write source maps, which takes half of the time; default true. */
  readonly maps?: boolean;
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
 * Bundles every function of a folder separately, and the page beside the function that serves it, and returns the
 * functions' names. The same sources produce the same bytes.
 * Throws esbuild's `BuildFailure`, which names file and line, when a source does not build; nothing is written then.
 *
 * All in this process: CDK's `NodejsFunction` starts one process per function, which takes longer than the rest of a
 * first start. In two steps: the first reads all sources once and drops what no function uses, the second makes the
 * bundle of each function of what is left. Bundling each from its sources reads the SDK for each, and takes three times
 * as long. The source maps are not in the deployed folders: they are larger than the code, and Lambda would load
 * them at every cold start.
 */
export async function bundle({ functions, outdir, maps = true }: BundleOptions): Promise<string[]> {
  const names = await functionNames(functions);
  const shared = await bundleShared({ functions, names, maps });
  const bundles = await Promise.all(names.map(async (name) => ({ name, files: await bundleOne(shared, name) })));
  // Files of an earlier run would be deployed too, because the names of chunks change with their content.
  const old = names.flatMap((name) => [join(outdir, name), join(outdir, 'maps', name)]);
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true })));
  await Promise.all(bundles.flatMap(({ name, files }) => files.map((file) => write(target(outdir, name, file), file))));
  await bundlePage(join(functions, PAGE.source), join(outdir, PAGE.function, 'page'));
  return names;
}

/** The functions' code after the first step: a file per function, and chunks that several of them import. */
interface Shared {
  /** A folder that nothing is written to; it only determines the names in chunks and source maps. */
  readonly folder: string;
  /** The text of each file, by its path. */
  readonly files: ReadonlyMap<string, string>;
  readonly maps: boolean;
}

type SharedOptions = Required<Omit<BundleOptions, 'outdir'>> & { readonly names: readonly string[] };

async function bundleShared({ functions, names, maps }: SharedOptions): Promise<Shared> {
  const folder = join(functions, 'out');
  if (names.length === 0) return { folder, files: new Map(), maps };
  const { outputFiles = [] } = await build({
    ...options,
    entryPoints: names.map((name) => ({ in: join(functions, name, 'handler.ts'), out: name })),
    outdir: folder,
    sourcemap: maps && 'inline',
  });
  return { folder, files: new Map(outputFiles.map(({ path, text }) => [path, text])), maps };
}

async function bundleOne({ folder, files, maps }: Shared, name: string): Promise<readonly OutputFile[]> {
  const { outputFiles = [], metafile } = await build({
    ...options,
    banner: { js: requireBanner },
    metafile: true,
    entryPoints: [{ in: join(folder, `${name}.mjs`), out: 'index' }],
    outdir: folder,
    minify: true,
    sourcemap: maps && 'external',
    // A place in a source is enough: with the sources the maps would be two thirds of what a deploy uploads.
    sourcesContent: false,
    plugins: [readFrom(files)],
  });
  const loaded = loadedFrom('index.mjs', metafile);
  return outputFiles.filter(({ path }) => loaded.has(basename(path, '.map')));
}

/** Returns the names of the files that can be loaded; esbuild also writes those that only removed code imports. */
function loadedFrom(entry: string, { outputs }: Metafile): ReadonlySet<string> {
  const imports = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output.imports]));
  const loaded = new Set([entry]);
  // A set goes on with what is added while it is read.
  for (const name of loaded) for (const { path } of imports.get(name) ?? []) loaded.add(basename(path));
  return loaded;
}

/** Returns a plugin that reads these files instead of the disk's. */
function readFrom(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'shared',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /\.mjs$/ }, ({ path, resolveDir }) => ({ path: resolve(resolveDir, path) }));
      onLoad({ filter: /\.mjs$/ }, ({ path }) => {
        const contents = files.get(path);
        return contents === undefined ? null : { contents, resolveDir: dirname(path) };
      });
    },
  };
}

function target(outdir: string, name: string, { path }: OutputFile): string {
  return path.endsWith('.map') ? join(outdir, 'maps', name, basename(path)) : join(outdir, name, basename(path));
}

async function write(path: string, { contents }: OutputFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
