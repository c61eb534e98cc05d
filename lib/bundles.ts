import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/**
 * Bundled CommonJS dependencies call `require` for Node's own modules; an ES module has none.
 * https://github.com/evanw/esbuild/issues/1921
 */
const requireBanner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  // The oldest Node that runs the bundles: they run on one machine as they run on Lambda, which has a newer one.
  target: 'node20',
  format: 'esm',
  // ES modules first: only those can lose what a function does not use, which halves the bundles with SDK clients.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  banner: { js: requireBanner },
  logLevel: 'silent',
};

/** What `bundle` reads and writes. */
export interface BundleOptions {
  /** Folder with one folder per function, each with a `handler.ts` that exports `handler`. */
  readonly functions: string;
  /** Folder that gets `<function>/index.mjs`, and beside them the source maps in `maps/<function>.mjs.map`. */
  readonly outdir: string;
}

/**
 * The names of the functions in a folder, sorted: its folders that have a `handler.ts`.
 */
export async function functionNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'handler.ts')))
    .map((entry) => entry.name)
    .sort();
}

/**
 * Bundles every function of a folder by one esbuild call and gives back their names. The same sources give the same
 * bytes. Throws esbuild's `BuildFailure`, which names file and line, when a source does not build.
 *
 * One call, because CDK's `NodejsFunction` starts a process per function, which takes longer than everything else that
 * a first start does. The maps lie outside the folders that are deployed: they are larger than the code, and Lambda
 * would load them at every cold start.
 */
export async function bundle({ functions, outdir }: BundleOptions): Promise<string[]> {
  const names = await functionNames(functions);
  const { outputFiles } = await build({
    ...options,
    entryPoints: names.map((name) => ({ in: join(functions, name, 'handler.ts'), out: join(name, 'index') })),
    outdir,
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    write: false,
  });
  await Promise.all(outputFiles.map((file) => write(target(outdir, file.path), file.contents)));
  return names;
}

function target(outdir: string, path: string): string {
  return path.endsWith('.map') ? join(outdir, 'maps', `${relative(outdir, dirname(path))}.mjs.map`) : path;
}

async function write(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
