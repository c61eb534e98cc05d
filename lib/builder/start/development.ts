import { join } from 'node:path';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { manifestIn, packagesOf, type RawManifest, stringsIn } from '../manifest.ts';
import { cronIn } from './cron.ts';
import { procfileIn } from './start-command.ts';

/** What a process of an application may run, as shell lines, and the scripts that these may call. */
interface Lines {
  readonly lines: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
}

const DEVELOPMENT = ['devDependencies'];
const OTHERS = ['dependencies', 'optionalDependencies', 'peerDependencies'];
/** Programs that call scripts of a package.json by their names. */
const SCRIPT_RUNNERS = /(?:^|[^\w-])(?:npm|pnpm|yarn|bun|run-p|run-s|npm-run-all2?|concurrently|wireit|--run)(?![\w-])/;
/** Programs that run another one, which follows after options and variables. */
const WRAPPERS = /^(?:\w+=.*|-.*|cross-env|cross-env-shell|exec|env|nohup|time|npx|pnpx|bunx|dotenv|dlx|x)$/;
const WITH_EXEC = /^(?:npm|pnpm|yarn) +(?:exec|dlx|x) +/;
/** Programs that no package brings, as far as common lines name them. */
const OF_THE_MACHINE =
  /^(?:|node|npm|pnpm|yarn|corepack|sh|bash|cd|echo|export|set|test|true|false|exit|sleep|mkdir|cp|mv|rm|cat|ln|trap|wait|ulimit|umask|source|git|python3?|java|ruby|php|\[)$|[./$]/;

/** Returns the lines that an application's processes, `release` and cron run before anything is built. */
export async function processLines(folder: string, manifest: RawManifest, settings: Settings): Promise<Lines> {
  const scripts = stringsIn(manifest, 'scripts');
  const { start = 'npm start' } = settings;
  const [procfile, cron] = await Promise.all([procfileIn(folder), cronIn(folder)]);
  const { web = start, ...others } = procfile;
  const lines = [settings.start ?? web, ...Object.values(others), ...cron.map(({ command }) => command)];
  return { lines, scripts };
}

/**
 * Whether lines may run a program of a development dependency. Before the installation only the names of packages are known,
 * so a program counts that neither a dependency of the release is called like nor the machine has.
 */
export function mayUseDevelopment(given: Lines, manifest: RawManifest): boolean {
  const development = packagesOf(manifest, DEVELOPMENT);
  if (development.length === 0) return false;
  const others = new Set(packagesOf(manifest, OTHERS).map(unscoped));
  return called(given).some(
    (line) =>
      development.some((name) => isNamed(wordsOf(line), name, [])) ||
      programsOf(line).some((program) => !OF_THE_MACHINE.test(program) && !others.has(program)),
  );
}

/** Returns the first development dependency that the lines use, of those installed in a folder. */
export async function usedDevelopment(
  given: Lines,
  folder: string,
  manifest: RawManifest,
): Promise<string | undefined> {
  const words = called(given).flatMap(wordsOf);
  for (const name of packagesOf(manifest, DEVELOPMENT)) {
    if (isNamed(words, name, await programsIn(folder, name))) return name;
  }
  return undefined;
}

/** Returns the lines with the scripts that they call, directly or not, each once. */
function called({ lines, scripts }: Lines): readonly string[] {
  const found = new Set<string>();
  const waiting = [...lines];
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    if (found.has(line)) continue;
    found.add(line);
    if (SCRIPT_RUNNERS.test(line)) waiting.push(...scriptsNamed(wordsOf(line), scripts));
  }
  return [...found];
}

function scriptsNamed(words: readonly string[], scripts: Lines['scripts']): readonly string[] {
  return words.flatMap((word) => {
    const name = word.replace(/^(?:npm|pnpm|yarn):/, '');
    const isMeant = name.endsWith('*')
      ? (script: string) => script.startsWith(name.replace(/(?<!\*)\*+$/, ''))
      : (script: string) => [name, `pre${name}`, `post${name}`].includes(script);
    return Object.keys(scripts)
      .filter(isMeant)
      .map((script) => scripts[script] ?? '');
  });
}

function wordsOf(line: string): readonly string[] {
  return line.split(/[\s"'`;&|()]+/).map((word) => word.replace(/^(?:.*\/)?node_modules\/(?:\.bin\/)?/, ''));
}

/** Returns the first word of each command in a line, quoted ones too: `concurrently "tsc -w"`. */
function programsOf(line: string): readonly string[] {
  return line.split(/["'`;&|()\n]+/).map((part) => {
    const words = wordsOf(part.trim().replace(WITH_EXEC, ''));
    return words.find((word) => !WRAPPERS.test(word)) ?? '';
  });
}

/** Whether words have a program of a package, the package, or a module of it: `ts-node`, `--import=tsx`, `ts-node/register`. */
function isNamed(words: readonly string[], name: string, programs: readonly string[]): boolean {
  return words.some((word) => {
    const value = word.replace(/^--?[\w-]+=/, '');
    const version = value.indexOf('@', Math.max(1, value.lastIndexOf('/') + 1));
    const program = version < 0 ? value : value.slice(0, version);
    return programs.includes(program) || program === name || value.startsWith(`${name}/`);
  });
}

/** Returns the programs that an installed package brings: https://docs.npmjs.com/cli/configuring-npm/package-json#bin */
async function programsIn(folder: string, name: string): Promise<readonly string[]> {
  const manifest = await manifestIn(join(folder, 'node_modules', name));
  return typeof manifest.bin === 'string' ? [unscoped(name)] : Object.keys(stringsIn(manifest, 'bin'));
}

function unscoped(name: string): string {
  return name.replace(/^@[^/]*\//, '');
}
