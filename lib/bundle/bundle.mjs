// Plain JavaScript, because it makes what reads TypeScript: bin/run.mjs starts every program by it.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const isPackage = /[\\/]node_modules[\\/]/.test(project);
/**
 * Packages that stay where npm has installed them: those with binaries, and the clients of AWS, which only some commands
 * load and only some checkouts have.
 */
const STAYING = /^(?:libsql(?:\/promise)?|esbuild|@aws-sdk\/.*|@smithy\/.*)$/;

let folder;

/** @type {import('./bundle.d.mts').programFolder} */
export function programFolder() {
  folder ??= newProgramFolder();
  return folder;
}

function newProgramFolder() {
  const temporary = join(project, '.local/tmp');
  if (!isPackage && isWritable(temporary)) {
    // The folder of a test run is in the checkout already.
    if (!tmpdir().startsWith(project)) process.env.TMPDIR = temporary;
    return join(project, '.local/programs');
  }
  // A package that npm may replace, or a checkout of somebody else.
  const digest = createHash('sha256').update(project).digest('hex').slice(0, 8);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const own = join(cache, 'deployment-webhooks', digest);
  return isWritable(own) ? own : mkdtempSync(join(tmpdir(), 'deployment-webhooks-'));
}

function isWritable(wanted) {
  try {
    mkdirSync(wanted, { recursive: true });
    accessSync(wanted, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The output that is being made: esbuild is one process for all, which ends with each of them. */
let making = Promise.resolve();

/** @type {import('./bundle.d.mts').kept} */
export async function kept(outfile, source, make) {
  if (isCurrent(outfile, source)) return false;
  const made = making.then(() => isCurrent(outfile, source) || makeNew(outfile, source, make));
  making = made.catch(() => {});
  await made;
  return true;
}

async function makeNew(outfile, source, make) {
  mkdirSync(dirname(outfile), { recursive: true });
  const { inputs, outputs } = await make();
  const made = { source, node: process.versions.node, inputs, outputs, stamp: stampOf(inputs) };
  const record = `${outfile}.inputs.json`;
  const before = recorded(record);
  replace(record, JSON.stringify({ ...made, before: before?.outputs ?? [] }));
  // A process may still load parts of the output before this one, but not of the one before that.
  const old = (before?.before ?? []).filter((path) => !outputs.includes(path) && !before.outputs.includes(path));
  for (const path of old) rmSync(path, { force: true });
}

/** @type {import('./bundle.d.mts').bundled} */
export function bundled({ entry, outfile, format = 'esm' }) {
  const source = resolve(project, entry);
  return kept(outfile, source, async () => {
    const { build, stop } = await import('esbuild');
    const name = basename(outfile).replace(/\.\w+$/, '');
    const { outputFiles, metafile } = await build({
      entryPoints: { [name]: source },
      outdir: dirname(outfile),
      outExtension: { '.js': extname(outfile) },
      chunkNames: `${name}-[hash]`,
      bundle: true,
      // Dynamic imports stay separate files.
      splitting: format === 'esm',
      write: false,
      metafile: true,
      absWorkingDir: project,
      platform: 'node',
      format,
      target: 'node20',
      logLevel: 'silent',
      legalComments: 'none',
      ...(format === 'esm' && { banner: { js: REQUIRE } }),
      // 2 MB in each program, of Undici, which speaks HTTP/1.1 only here.
      alias: { 'node:http2': fileURLToPath(new URL('unused.cjs', import.meta.url)) },
      plugins: [inPlace],
    });
    // Its process would stay for as long as this one.
    await stop();
    // The entry last: it names the others.
    const files = outputFiles.toSorted((one, other) => Number(one.path === outfile) - Number(other.path === outfile));
    for (const { path, contents } of files) replace(path, contents);
    return {
      inputs: Object.keys(metafile.inputs).map((path) => join(project, path)),
      outputs: files.map(({ path }) => path),
    };
  });
}

/** @type {import('./bundle.d.mts').bundledCopy} */
export async function bundledCopy({ entry, outfile }) {
  const source = resolve(project, entry);
  const original = join(programFolder(), `${basename(source, '.ts')}.mjs`);
  await bundled({ entry, outfile: original });
  await kept(outfile, source, async () => {
    const { inputs, outputs } = recorded(`${original}.inputs.json`);
    const placeOf = (path) => (path === original ? outfile : join(dirname(outfile), basename(path)));
    for (const path of outputs) replace(placeOf(path), readFileSync(path));
    return { inputs, outputs: outputs.map(placeOf) };
  });
}

/** Not in one word: in this module, which is bundled too, the bundler would replace it. */
const MODULE_URL = ['import', 'meta', 'url'].join('.');

/**
 * Dependencies in CommonJS call `require` for the modules of Node; an ES module has none.
 * https://github.com/evanw/esbuild/issues/1921
 */
const REQUIRE = `import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(${MODULE_URL});`;

/** Files beside a module are found where the module is, not where the bundle is. */
const inPlace = {
  name: 'in-place',
  setup({ onLoad, onResolve }) {
    const { resolve: found } = createRequire(import.meta.url);
    const placeOf = (name) => {
      try {
        return pathToFileURL(found(name)).href;
      } catch {
        return name;
      }
    };
    onResolve({ filter: STAYING }, ({ path }) => ({ path: placeOf(path), external: true }));
    onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (relative(project, path).includes('node_modules') || !text.includes(MODULE_URL)) return null;
      const contents = text.replaceAll(MODULE_URL, JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** Whether the output was made by this Node from what its sources are now. */
function isCurrent(outfile, source) {
  const made = recorded(`${outfile}.inputs.json`);
  if (made?.source !== source || made.node !== process.versions.node) return false;
  try {
    return made.outputs.every((path) => existsSync(path)) && made.stamp === stampOf(made.inputs);
  } catch {
    // A source is gone.
    return false;
  }
}

/** Returns what was made before; undefined when there is nothing, or the record of it is damaged. */
function recorded(record) {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A file that was changed has another size or another time of change. */
function stampOf(inputs) {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const path of inputs) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** In one step: another start may load it meanwhile. */
function replace(file, contents) {
  const fresh = `${file}.${process.pid}.tmp`;
  writeFileSync(fresh, contents);
  renameSync(fresh, file);
}
