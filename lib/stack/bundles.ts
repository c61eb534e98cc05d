import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, buildSync, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { routes } from '../../functions/api/routes.ts';
import { bundlePage } from '../bundle/page.ts';

/**
 * Bundled CommonJS dependencies call `require` for Node's own modules; an ES module has none.
 * https://github.com/evanw/esbuild/issues/1921
 */
export const requireBanner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** The oldest Node that runs the bundles, which is that of local installations; Lambda has a newer one. */
const TARGET = 'node20';

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: TARGET,
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
  /** Folder with the files that make the functions, in `aws`. */
  readonly functions: string;
  /** Folder for `<function>/index.mjs` with what it imports, and for the source maps in `maps/<function>/`. */
  readonly outdir: string;
  /** Whether to write source maps, which takes half of the time; default true. */
  readonly maps?: boolean;
}

/** A function: each export of `aws` but those of `ports.ts` makes one, `apiEntry` that of the name `api-entry`. */
interface Composed {
  readonly name: string;
  readonly factory: string;
  readonly file: string;
}

const kebab = (name: string) => name.replace(/[A-Z]/g, '-$&').toLowerCase();

async function composed(functions: string): Promise<readonly Composed[]> {
  const folder = join(functions, 'aws');
  const files = (await readdir(folder)).filter((file) => file !== 'ports.ts').map((file) => join(folder, file));
  const { metafile } = await build({ entryPoints: files, write: false, metafile: true, format: 'esm', outdir: folder });
  const exported = Object.values(metafile.outputs).flatMap(({ entryPoint = '', exports }) =>
    exports.map((factory) => ({ name: kebab(factory), factory, file: resolve(entryPoint) })),
  );
  return exported.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Bundles every function separately, and the page beside the function that serves it, and returns the
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
  const all = await composed(functions);
  const names = all.map(({ name }) => name);
  const shared = await bundleShared({ functions, all, maps });
  const bundles = await Promise.all(names.map(async (name) => ({ name, files: await bundleOne(shared, name) })));
  // Files of an earlier run would be deployed too, because the names of chunks change with their content.
  const old = names.flatMap((name) => [join(outdir, name), join(outdir, 'maps', name)]);
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true })));
  await Promise.all(bundles.flatMap(({ name, files }) => files.map((file) => write(target(outdir, name, file), file))));
  await bundlePage(join(functions, PAGE.source), join(outdir, PAGE.function, 'page'));
  // It makes releases that need no build.
  if (names.includes('stage-extract')) bundleOfReleases(join(outdir, 'stage-extract'));
  return names;
}

/** What is in each release: the server for static sites, and the handler that runs commands. */
const OF_RELEASES = ['start/static-server.cjs', 'lambda/jobs.cjs'];

/** Writes what is in each release into a folder, a file each. */
export function bundleOfReleases(folder: string): void {
  buildSync({
    entryPoints: OF_RELEASES.map((path) => fileURLToPath(new URL(`../builder/${path}`, import.meta.url))),
    entryNames: '[name]',
    outExtension: { '.js': '.cjs' },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: TARGET,
    format: 'cjs',
    minify: true,
    legalComments: 'none',
  });
}

/** The functions' code after the first step: a file per function, and chunks that several of them import. */
interface Shared {
  /** A folder that nothing is written to; it only determines the names in chunks and source maps. */
  readonly folder: string;
  /** The text of each file, by its path. */
  readonly files: ReadonlyMap<string, string>;
  readonly maps: boolean;
}

type SharedOptions = Required<Omit<BundleOptions, 'outdir'>> & { readonly all: readonly Composed[] };

async function bundleShared({ functions, all, maps }: SharedOptions): Promise<Shared> {
  const folder = join(functions, 'out');
  const entries = await Promise.all(
    all.map(async (one) => [join(functions, 'aws', `${one.name}.mjs`), await entryOf(one)] as const),
  );
  const { outputFiles = [] } = await build({
    ...options,
    entryPoints: entries.map(([path]) => path),
    outdir: folder,
    sourcemap: maps && 'inline',
    plugins: [readFrom(new Map(entries)), routesAlone],
  });
  return { folder, files: new Map(outputFiles.map(({ path, text }) => [path, text])), maps };
}

/**
 * Returns the source of a function's entry, with what it uses of the files in `aws`. Code splitting would load for each
 * function what any of these files imports, though no code of the function uses it.
 */
export async function entryOf({ factory, file }: Omit<Composed, 'name'>): Promise<string> {
  const contents = `import { ${factory} } from './${basename(file)}'; export const handler = await ${factory}();`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dirname(file) },
    bundle: true,
    platform: 'node',
    target: TARGET,
    format: 'esm',
    write: false,
    sourcemap: 'inline',
    outdir: dirname(file),
    plugins: [siblingsAlone],
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Bundles the files of one folder, and leaves what they import from elsewhere as it is, if they use it. */
const siblingsAlone: Plugin = {
  name: 'siblings',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:[^.]|\.\.)/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** Puts the computed table of routes into the bundles: only the documents need the rest of an endpoint's row. */
const routesAlone: Plugin = {
  name: 'routes',
  setup({ onLoad }) {
    const contents = `export const routes = ${JSON.stringify(routes)};`;
    onLoad({ filter: /\/functions\/api\/routes\.ts$/ }, () => ({ contents }));
  },
};

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
      onResolve({ filter: /\.mjs$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        return files.has(file) ? { path: file } : null;
      });
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
