import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../json.ts';
import { jsonIn } from '../json-value.ts';
import { wrongVariables } from './missing-variable.ts';
import { namesSomething, saysSomething, withoutSource } from './says-something.ts';
import { shortLines } from './short-lines.ts';

/** Lines around what a build in CodeBuild prints: CodeBuild's own lines come before and after. */
export const BUILD_BEGINS = '--- build begins';
export const BUILD_ENDS = '--- build ends';
/** The prefix of a line that its entry has too. */
export const BUILD_NOTE = '--- note: ';
/** The prefix of the line with the commands that it has used, as JSON. */
export const BUILD_FOUND = '--- found: ';
/** The prefix of the line with the reason of its failure. */
export const BUILD_FAILED = '--- error: ';

const LONGEST_REASON = 300;
const SHOWN_MISSING = 2;
/** Lines of npm that say how it was called, not what went wrong. */
const npmDetail = /^(?:code|path|command|syscall|errno|workspace|location|A complete log|Lifecycle script|\s)/;
const npmLine = /^npm (?:error|ERR!) ?/;
/** Lines that repeat that something failed, after the line that says what. */
const noise =
  /^(?:npm (?:error|ERR!|notice|warn)|\s*at |\s*ELIFECYCLE|error Command failed|info Visit|Node\.js v|> |\s*throw\b|\s*$)|\[WARN|^\W*warn(?:ing)?\b|^➤ YN0000/i;
/** An address that a program cannot reach. */
const networkError = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)\b/;
const words =
  /\b(?:[A-Z]\w*Error|ERR_\w+|error|failed|fail|fatal|invalid|cannot|not found|could not|can't|must be)\b|^[\s│└├─┬]*[✕✖✘×⨯] /i;
/** Lines below a message that names nothing in which one that does is looked for. */
const MOST_BELOW = 20;
/** A path or an address of a module, in a line of its own. */
const place = /^\s*(?:\[plugin [^\]]+\] )?(?:\.\/|\/|\[|file:)?[\w@.[\]()/~+-]+\.\w+(?::\d+(?::\d+)?)?\s*$/;
/** Lines that name the cause, whatever is printed before them. */
const CAUSES: readonly RegExp[] = [
  /JavaScript heap out of memory/,
  /^Failed to fetch .+ from Google Fonts/,
  /failed to resolve import ["']/,
  /\berror TS\d+: /,
  /^\s*\[cause\]: /,
];

/**
 * Returns what the output of a failed command says about the reason, as the end of a sentence: npm's error code with what
 * it refuses, else a line that is known to name the cause, else the first message of an error, else the last line. Empty
 * when nothing was printed.
 */
export function reasonIn(output: readonly string[]): string {
  const lines = shortLines(output).map((line) => stripVTControlCharacters(line));
  const text =
    fromNpm(lines) ??
    wrongVariables(lines) ??
    knownCause(lines) ??
    firstError(lines) ??
    plainNpm(lines) ??
    lines.findLast((line) => !noise.test(line) && saysSomething(line)) ??
    lines.findLast((line) => !noise.test(line)) ??
    '';
  // One sentence: the full stop is the caller's.
  const short = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .slice(0, LONGEST_REASON)
    .replace(/(?<![.:])[.:]+$/, '');
  return short === '' ? '' : `: ${short}`;
}

function fromNpm(lines: readonly string[]): string | undefined {
  const errors = lines.flatMap((line) => (npmLine.test(line) ? [line.replace(npmLine, '')] : []));
  const message = errors.find((line) => line.trim() !== '' && !npmDetail.test(line));
  const code = errors.find((line) => line.startsWith('code '))?.slice(5);
  const refusal = fromGit(errors) ?? fromInstallScript(errors);
  if (refusal !== undefined) return refusal;
  // A number is the exit code of a script, whose own output says more.
  if (message === undefined || code === undefined || /^\d+$/.test(code)) return undefined;
  return `${code}: ${notInSync(errors) ?? conflict(errors) ?? wrongEngine(errors) ?? message}`;
}

/** What git says about a dependency in a repository, below npm's own message and the command. */
function fromGit(errors: readonly string[]): string | undefined {
  const at = errors.findIndex((line) => line.startsWith('An unknown git error occurred'));
  const said = errors.slice(at + 1).find((line) => line.trim() !== '' && !npmDetail.test(line));
  if (at < 0 || said === undefined) return undefined;
  const address = errors.flatMap((line) => /^command .* (\S+:\/\/\S+)/.exec(line)?.[1] ?? [])[0];
  return address === undefined ? said : `${address}: ${said}`;
}

const MODULES = 'node_modules/';

/** What the install script of a dependency has printed, which npm repeats below the command, with its package. */
function fromInstallScript(errors: readonly string[]): string | undefined {
  const at = errors.findIndex((line) => /^command \S+ (?:-c|\/d)\s/.test(line));
  const path = errors.findLast((line) => line.startsWith('path ') && line.includes(MODULES));
  if (at < 0 || path === undefined) return undefined;
  const said = errors
    .slice(at + 1)
    .filter(
      (line) => !/^(?:A complete log| *at )|^gyp (?:info|verb)|^gyp ERR! (?:cwd|node -v|System|not ok)/.test(line),
    );
  const line = said.find((one) => networkError.test(one)) ?? said.find((one) => words.test(one)) ?? said[0];
  return line === undefined
    ? undefined
    : `${path.slice(path.indexOf(MODULES))}: ${line.replace(/^(?:gyp ERR!|npm error) (?:stack )?/, '')}`;
}

/** The version that a package wants of npm or Node, and the one there is. */
function wrongEngine(errors: readonly string[]): string | undefined {
  const [wanted, actual] = ['Required', 'Actual'].map((word) => {
    const line = errors.find((one) => one.startsWith(`notsup ${word}: `));
    const value = line === undefined ? undefined : jsonIn(line.slice(line.indexOf('{')));
    return isObject(value) ? value : {};
  });
  const name = errors.flatMap((line) => /^notsup Not compatible .*: (\S+)$/.exec(line)?.[1] ?? [])[0] ?? 'a package';
  const wrong = Object.entries(wanted ?? {}).map(
    ([tool, range]) => `${tool} ${range}, and this is ${tool} ${actual?.[tool]}`,
  );
  return wrong.length === 0 ? undefined : `${name} requires ${wrong.join('; ')}`;
}

/** The packages by which lockfile and package.json differ; what npm prints besides is its usage. */
function notInSync(errors: readonly string[]): string | undefined {
  const lines = errors.filter((line) => /^(?:Missing|Invalid): .*lock file/.test(line));
  if (lines.length === 0) return undefined;
  const more = lines.length > SHOWN_MISSING ? `; ${lines.length - SHOWN_MISSING} more` : '';
  const shown = lines.slice(0, SHOWN_MISSING).join('; ');
  return `package.json and the lockfile differ: ${shown}${more}. Run "npm install" and commit the lockfile`;
}

/** The two sides of a conflict between peer dependencies. */
function conflict(errors: readonly string[]): string | undefined {
  const at = errors.findIndex((line) => line.startsWith('Could not resolve dependency:'));
  const wanted = errors[at + 1];
  if (at < 0 || wanted === undefined) return undefined;
  const installed = errors.find((line) => /^(?:Found|Conflicting peer dependency): /.test(line));
  return `${wanted.trim()} does not fit ${installed?.replace(/^[^:]*: /, '') ?? 'the others'}`;
}

function knownCause(lines: readonly string[]): string | undefined {
  for (const cause of CAUSES) {
    const line = lines.find((line) => cause.test(line) && !line.startsWith('> '));
    if (line !== undefined) return line.replace(/^\s*\[cause\]: /, '');
  }
  return undefined;
}

/** What npm says without a code: a script or a workspace that there is not. */
function plainNpm(lines: readonly string[]): string | undefined {
  const message = lines.find((line) => npmLine.test(line) && !npmDetail.test(line.replace(npmLine, '')));
  return message?.replace(npmLine, '');
}

/** The first message of an error: that line, or the first one below it that says something. */
function firstError(lines: readonly string[]): string | undefined {
  const relevant = withoutSource(lines).filter((line) => !noise.test(line));
  const at = relevant.findIndex((line) => words.test(line));
  if (at < 0) return undefined;
  const below = relevant.slice(at).findIndex((line) => saysSomething(line));
  if (below < 0) return relevant[at];
  return told(relevant, namedBelow(relevant, at + below));
}

/** A message that names nothing, such as how many files have failed, is followed by the one that says which. */
function namedBelow(lines: readonly string[], at: number): number {
  const message = lines[at] ?? '';
  const isNamed = namesSomething(message) || /: [^\s:]+$/.test(message.trimEnd()) || placeAbove(lines, at) !== '';
  if (isNamed || /^\s+-\s/.test(lines[at + 1] ?? '')) return at;
  const below = lines.slice(at + 1, at + 1 + MOST_BELOW);
  const next = below.findIndex((line) => words.test(line) && namesSomething(line) && !place.test(line));
  return next < 0 ? at : at + 1 + next;
}

/** Returns the place of a message that is in the line above it, with a colon; empty for none. */
function placeAbove(lines: readonly string[], at: number): string {
  const above = lines[at - 1] ?? '';
  return /^(?:\.\/)?\w\S*:\d+\s*$/.test(above) && place.test(above) ? `${above.trim().replace(/^\.\//, '')}: ` : '';
}

/** Returns a message with its place, in the line above it or in a frame below, and its detail. */
function told(relevant: readonly string[], at: number): string {
  const message = relevant[at] ?? '';
  const next = relevant[at + 1] ?? '';
  const framed = /╭─+\[([^\]]*)\]/.exec(next)?.[1];
  const detail = !namesSomething(message) && /^\s+-\s/.test(next) ? ` ${next.trim()}` : '';
  return `${placeAbove(relevant, at)}${message}${detail}${framed === undefined ? '' : ` (${framed.trim()})`}`;
}
