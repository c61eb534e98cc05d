import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestObject, stringsIn, textOf } from '../manifest.ts';

/** The process types of a Procfile by name: https://devcenter.heroku.com/articles/procfile */
export type Procfile = Readonly<Record<string, string>>;

/**
 * Returns the Procfile of a folder, empty when there is none. Lines that are no process type are ignored, as on Heroku.
 */
export async function procfileIn(folder: string): Promise<Procfile> {
  const text = (await textOf(join(folder, 'Procfile'))) ?? '';
  const types = text.split(/\r?\n/).flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+):(.*)$/.exec(line) ?? [];
    return name !== undefined && command?.trim() ? [[name, command.trim()] as const] : [];
  });
  return Object.fromEntries(types);
}

/**
 * The command that starts an application: a program with its arguments, and the command line as a person would write
 * it.
 */
export interface StartCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly text: string;
  /** The folder of the files, when it is the server for static sites. */
  readonly site?: string;
}

/** The fields of a package.json that matter for starting. */
export interface StartManifest {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly scripts: Readonly<Record<string, string>>;
}

const USUAL_FILES = ['server.js', 'app.js', 'index.js'];
/** The output folders of builds of sites; the first with an index.html is served. */
const BUILT_SITES = ['dist', 'build', 'out'];
const PLAIN_SITES = ['public', '.'];
/** The program that serves a folder of files. */
export const STATIC_SERVER = fileURLToPath(new URL('static-server.mjs', import.meta.url));
const plainWords = /^[\w@%+=:,./-]+(?: +[\w@%+=:,./-]+)*$/;
const shellWords = new Set([
  'exec',
  'cd',
  'export',
  'set',
  'source',
  '.',
  ':',
  'exit',
  'trap',
  'ulimit',
  'umask',
  'eval',
  'test',
  'true',
  'false',
  'if',
  'for',
  'while',
  'until',
  'case',
]);

/** Reads the package.json of a release, of which any content is possible. Throws an Error with one sentence. */
export async function readStartManifest(release: string): Promise<StartManifest> {
  const text = await textOf(join(release, 'package.json'));
  if (text === undefined) throw new Error('There is no package.json in the root of the repository.');
  const json = manifestObject(text);
  const given = Object.entries({ name: json.name, version: json.version, main: json.main });
  return {
    ...Object.fromEntries(given.filter(([, value]) => typeof value === 'string')),
    scripts: stringsIn(json, 'scripts'),
  };
}

/**
 * The command that starts the application in a folder: `web` of its Procfile, else `scripts.start` with its `prestart`,
 * else the site that its build has left, else `node <main>`, else `node` with `server.js`, `app.js` or `index.js`, else
 * a site in `public` or in the folder itself. npm itself is not run: it takes a quarter of a second, and it would get
 * the signals that are meant for the application. A script without shell syntax is run as it is, any other one by `sh
 * -c`.
 */
export async function startCommand(folder: string, manifest: StartManifest): Promise<StartCommand> {
  const { web } = await procfileIn(folder);
  if (web !== undefined) return scriptCommand(web);
  const { start, prestart, build } = manifest.scripts;
  if (start?.trim()) return prestart?.trim() ? shell(`(${prestart}) && ${start}`) : scriptCommand(start.trim());
  const command =
    (build?.trim() || manifest.scripts['heroku-postbuild']?.trim()
      ? await siteCommand(folder, BUILT_SITES)
      : undefined) ??
    (await fileCommand(folder, manifest)) ??
    (await siteCommand(folder, PLAIN_SITES));
  if (command) return command;
  throw new Error(
    `There is nothing to start: package.json has no scripts.start and no main, there is no ${USUAL_FILES.join(', ')}, no web process in a Procfile, and no index.html.`,
  );
}

async function fileCommand(folder: string, { main }: StartManifest): Promise<StartCommand | undefined> {
  for (const file of main ? [main, ...USUAL_FILES] : USUAL_FILES) {
    if (await resolves(folder, file)) return { program: 'node', args: [file], text: `node ${file}` };
  }
  return undefined;
}

/** The platform's own server for files, with the platform's own Node. */
async function siteCommand(folder: string, sites: readonly string[]): Promise<StartCommand | undefined> {
  for (const site of sites) {
    if (await exists(join(folder, site, 'index.html'))) {
      return { program: process.execPath, args: [STATIC_SERVER, site], text: `serve ${site}`, site };
    }
  }
  return undefined;
}

function scriptCommand(script: string): StartCommand {
  const [program = '', ...args] = script.split(/ +/);
  const plain = plainWords.test(script) && !program.includes('=') && !shellWords.has(program);
  return plain ? { program, args, text: script } : shell(script);
}

function shell(script: string): StartCommand {
  return { program: 'sh', args: ['-c', script], text: script };
}

/** `main` may leave out the extension or name a folder, as for require(). */
async function resolves(release: string, file: string): Promise<boolean> {
  for (const candidate of [file, `${file}.js`, join(file, 'index.js')]) {
    if (await exists(join(release, candidate))) return true;
  }
  return false;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
