import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { manifestObject, packagesOf, scriptsWith, stringsIn, textOf } from '../manifest.ts';
import { applicationsBelow, sitesBelow, startFileIn } from './below.ts';
import { adviceOf, exists, type Framework, frameworkOf, outputOf } from './frameworks.ts';
import { commandOf, isSiteServer, isWatcher } from './scripts.ts';

/** The process types of a Procfile by name: https://devcenter.heroku.com/articles/procfile */
export type Procfile = Readonly<Record<string, string>>;

/**
 * Returns the Procfile of a folder, empty when there is none. Lines that are no process type are ignored, as on Heroku.
 */
export async function procfileIn(folder: string): Promise<Procfile> {
  const text = (await textOf(join(folder, 'Procfile'))) ?? (await textOf(join(folder, 'procfile'))) ?? '';
  const types = text.split(/\r\n?|\n/).flatMap((line) => {
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
  /** A warning for the author: the command is for development, or is not what "start" says. */
  readonly note?: string;
}

/** The fields of a package.json that matter for starting. */
export interface StartManifest {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** The names of the packages that it depends on, those for development too. */
  readonly packages: readonly string[];
}

const USUAL_FILES = ['server.js', 'app.js', 'index.js'];
/** The output folders of builds of sites; the first with an index.html is served. */
const BUILT_SITES = ['dist', 'build', 'out', '_site'];
/** What Nitro leaves, on which many frameworks build: https://nitro.build/deploy/runtimes/node */
const NITRO_SERVER = '.output/server/index.mjs';
const PLAIN_SITES = ['public', '.'];
/** The program that serves a folder of files. */
export const STATIC_SERVER = fileURLToPath(new URL('static-server.cjs', import.meta.url));
const plainWords = /^[\w@%+=:,./-]+(?: +[\w@%+=:,./-]+)*$/;
const shellWords = new Set([
  ...['exec', 'cd', 'export', 'set', 'source', '.', ':', 'exit', 'trap', 'ulimit', 'umask', 'eval', 'test'],
  ...['true', 'false', 'if', 'for', 'while', 'until', 'case'],
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
    packages: packagesOf(json),
  };
}

/**
 * The command that starts the application in a folder: that of its settings, else what serves the folder in them, else `web` of its Procfile, else `scripts.start` with its `prestart`,
 * else what its framework's build has left, else the site that its build has left, else `node <main>`, else `node` with
 * `server.js`, `app.js` or `index.js`, else a site in `public` or in the folder itself. What a framework's build has left
 * also comes before a `start` that is its development server, or that names no file; a built site before the server of a
 * bundler. npm itself is not run: it takes a quarter of a second, and it
 * would get the signals that are meant for the application. A script without shell syntax is run as it is, any other one by
 * `sh -c`.
 */
export async function startCommand(folder: string, given: StartManifest, settings: Settings): Promise<StartCommand> {
  const manifest = { ...given, scripts: scriptsWith(given.scripts, settings) };
  const { start: wanted, output } = settings;
  const framework = frameworkOf(manifest.packages);
  if (wanted === '')
    throw new Error('There is nothing to start: the setting "start" is empty. "hooks unset start" has it found.');
  if (wanted !== undefined) return withWarning(scriptCommand(wanted), manifest, framework);
  if (output !== undefined) return outputCommand(folder, output, manifest);
  const { web } = await procfileIn(folder);
  if (web !== undefined) return withWarning(scriptCommand(web), manifest, framework);
  const { start, prestart } = manifest.scripts;
  const ofFramework = framework && (await builtCommand(folder, framework));
  if (!start?.trim()) return ofFramework ?? withoutScript(folder, manifest, framework);
  const command = prestart?.trim() ? shell(`(${prestart}) && ${start}`) : scriptCommand(start.trim());
  const last = commandOf(start, manifest.scripts);
  const isSite = isSiteServer(last);
  const built = ofFramework ?? (isSite ? await siteCommand(folder, BUILT_SITES) : undefined);
  // Its author may have given arguments to the framework's own server.
  const isOther = framework?.preview?.test(last) && built?.program !== last.split(' ')[0];
  const isBelow = built?.site === undefined && (await runsNoFile(folder, command));
  if (!built || !(isOther || isBelow || isSite || framework?.development.test(last)))
    return withWarning(command, manifest, framework);
  const instead = built.site === undefined ? `"${built.text}" is run` : `the folder ${built.site} is served`;
  const note = `"start" is "${start}": ${instead} instead, which the build${ofFramework ? ` of ${framework?.name}` : ''} has left. A Procfile decides otherwise (web: <command>).`;
  return { ...built, note };
}

async function withoutScript(
  folder: string,
  manifest: StartManifest,
  framework: Framework | undefined,
): Promise<StartCommand> {
  const { build, 'heroku-postbuild': postbuild } = manifest.scripts;
  const builds = Boolean(build?.trim() || postbuild?.trim());
  if (builds && (await exists(join(folder, NITRO_SERVER)))) return scriptCommand(`node ${NITRO_SERVER}`);
  const command =
    (builds ? await siteCommand(folder, BUILT_SITES) : undefined) ??
    (await fileCommand(folder, manifest)) ??
    (await siteCommand(folder, PLAIN_SITES));
  if (command) return command;
  const advice = await settingFor(folder, manifest);
  if (framework) {
    const own = ` ${adviceOf(framework, manifest.scripts)}, or name a command in a Procfile (web: <command>).`;
    const isKnown = framework.without !== undefined && manifest.scripts.build?.trim();
    const help = isKnown ? own : advice || own;
    throw new Error(
      `There is nothing to start: the build of ${framework.name} has left nothing that can run here.${help}`,
    );
  }
  const [first, ...others] = await applicationsBelow(folder);
  if (first !== undefined) {
    throw new Error(
      `There is nothing to start in this folder, but in ${[first, ...others].join(', ')}: name the folder of the application ("hooks set path=${first}", or ?path=${first} in the address of a webhook).`,
    );
  }
  throw new Error(
    `There is nothing to start: package.json has no scripts.start and no main, there is no ${USUAL_FILES.join(', ')}, no web process in a Procfile, and no index.html.${advice || (await startFor(folder))}`,
  );
}

/** Returns the command that helps, with what was found: a folder with a site, or a script that builds. */
async function settingFor(folder: string, { scripts }: StartManifest): Promise<string> {
  const [site] = await sitesBelow(folder);
  if (site !== undefined) return ` There is ${site}/index.html: "hooks set output=${site}" serves that folder.`;
  const script = Object.keys(scripts).find((name) => /(?:^|:)build(?::|$)/.test(name) && /^[\w:.-]+$/.test(name));
  if (script === undefined || script === 'build') return '';
  return ` There is a script ${script}: "hooks set build='npm run ${script}'" runs it.`;
}

async function startFor(folder: string): Promise<string> {
  const file = await startFileIn(folder, USUAL_FILES);
  if (file === undefined) return '';
  return ` There is ${file}: "hooks set start='${file.endsWith('.py') ? 'python3' : 'node'} ${file}'" starts it.`;
}

/** The command for what the build of a framework has left. */
async function builtCommand(folder: string, framework: Framework): Promise<StartCommand | undefined> {
  const output = await outputOf(folder, framework);
  if (output === undefined) return undefined;
  return 'site' in output ? serving(output.site) : scriptCommand(output.command);
}

/** A development server is run where there is nothing else, but not without a word. */
function withWarning(
  command: StartCommand,
  { scripts }: StartManifest,
  framework: Framework | undefined,
): StartCommand {
  const given = commandOf(command.text, scripts);
  const isOfFramework = framework?.development.test(given) === true;
  if (!isOfFramework && !isWatcher(given)) return command;
  const instead = isOfFramework ? adviceOf(framework, scripts) : 'Let "start" run the server itself';
  return { ...command, note: `"${command.text}" is a server for development, which is slow and not safe. ${instead}.` };
}

async function fileCommand(folder: string, { main }: StartManifest): Promise<StartCommand | undefined> {
  for (const file of main ? [main, ...USUAL_FILES] : USUAL_FILES) {
    if (await resolves(folder, file)) return { program: 'node', args: [file], text: `node ${file}` };
  }
  return undefined;
}

/** The platform's own server for files, with the platform's own Node. */
async function siteCommand(folder: string, sites: readonly string[]): Promise<StartCommand | undefined> {
  for (const site of sites) if (await exists(join(folder, site, 'index.html'))) return serving(site);
  return undefined;
}

async function outputCommand(folder: string, output: string, manifest: StartManifest): Promise<StartCommand> {
  if (await exists(join(folder, output))) return serving(output);
  const advice = (await settingFor(folder, manifest)) || ' "hooks unset output" has it found.';
  throw new Error(
    `There is nothing to serve: the setting "output" is ${output}, and the build has left no such folder.${advice}`,
  );
}

function serving(site: string): StartCommand {
  return { program: process.execPath, args: [STATIC_SERVER, site], text: `serve ${site}`, site };
}

/** The command of a line of a Procfile or of a script of a package.json. */
export function scriptCommand(script: string): StartCommand {
  const [program = '', ...args] = script.split(/ +/);
  const plain = plainWords.test(script) && !program.includes('=') && !shellWords.has(program);
  return plain ? { program, args, text: script } : shell(script);
}

function shell(script: string): StartCommand {
  return { program: 'sh', args: ['-c', script], text: script };
}

/** Whether it is `node` with a file that is not there: Adonis and others build a folder in which "start" is to be run. */
async function runsNoFile(folder: string, { program, args: [file = '-'] }: StartCommand): Promise<boolean> {
  return program === 'node' && !file.startsWith('-') && !(await resolves(folder, file));
}

/** `main` may leave out the extension or name a folder, as for require(). */
async function resolves(release: string, file: string): Promise<boolean> {
  for (const candidate of [file, `${file}.js`, join(file, 'index.js')]) {
    if (await exists(join(release, candidate))) return true;
  }
  return false;
}
