import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../json.ts';
import { jsonIn } from '../json-value.ts';
import { withCauses } from './causes.ts';
import { wrongVariables } from './missing-variable.ts';
import { ownFrame, placeIn, placeNear } from './place.ts';
import { namesSomething, saysSomething, speaksOfError, withoutSource } from './says-something.ts';
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
  /^(?:npm (?:error|ERR!|notice|warn)|\s*at |\s*ELIFECYCLE|error Command failed|info Visit|Node\.js v[\d.]+$|> |\s*throw\b|\s*$)|\[WARN|^\W*warn(?:ing)?\b|^➤ YN0000/i;
/** An address that a program cannot reach. */
const networkError = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)\b/;
/** Lines below a message that names nothing in which one that does is looked for. */
const MOST_BELOW = 20;
const PLACE_BELOW = 4;
/** Lines that name the cause, whatever is printed before them. */
const CAUSES: readonly RegExp[] = [
  /JavaScript heap out of memory/,
  /^Failed to fetch .+ from Google Fonts/,
  /failed to resolve import ["']/,
  /\berror TS\d+: /,
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
    lines.findLast((line) => saysSomething(line)) ??
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
  const known = notInSync(errors) ?? conflict(errors) ?? wrongEngine(errors) ?? notThere(errors);
  return `${code}: ${known ?? message.replace(/^(?:\d{3}|notarget|JSON\.parse) /, '')}`;
}

/** The package that the registry does not have, or does not show; the line before has only its address. */
function notThere(errors: readonly string[]): string | undefined {
  return errors
    .find((line) => /^404 .{0,60}'@?[\w./-]{1,214}@/.test(line))
    ?.slice(4)
    .trim();
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
  const line = said.find((one) => networkError.test(one)) ?? said.find((one) => speaksOfError(one)) ?? said[0];
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
    if (line !== undefined) return line;
  }
  return undefined;
}

/** What npm says without a code: a script or a workspace that there is not. */
function plainNpm(lines: readonly string[]): string | undefined {
  const message = lines.find((line) => npmLine.test(line) && !npmDetail.test(line.replace(npmLine, '')));
  return message?.replace(npmLine, '');
}

/** The first message of an error: that line, or the first one below it that says something, with what there is around it. */
function firstError(lines: readonly string[]): string | undefined {
  const relevant = withoutSource(lines).filter((line) => !noise.test(line));
  const at = relevant.findIndex(speaksOfError);
  if (at < 0) return undefined;
  const first = relevant[at] ?? '';
  const caused = withCauses(first, linesBelow(lines, first));
  const next = caused === first ? relevant.slice(at).findIndex(saysSomething) : 0;
  // A list, of paths too, follows a colon.
  if (next < 0) return first.endsWith(':') ? `${first} ${relevant[at + 1] ?? ''}` : first;
  const found = caused === first ? namedBelow(relevant, at + next) : at;
  const message = relevant[found] ?? '';
  const below = linesBelow(lines, message);
  const detail = detailBelow(relevant, found) ?? bracketed(ownFrame(below));
  return withCauses(message, below) + (detail ?? '');
}

function linesBelow(lines: readonly string[], line: string): readonly string[] {
  return lines.slice(lines.indexOf(line) + 1);
}

/** Texts that name a thing by their form: a thrown error, a shell's `make: protoc: …`, an end after a colon. */
const NAMING = /^\W*(?:[A-Z]\w*)?Error(?: \[\w+\])?: |^[\w./-]{1,40}: [^\s:]{1,200}: \S|: [^\s:()]+\s*$|^\s*not ok \d/;

/** A message that names nothing, such as how many files have failed, is followed by the one that says which, or follows warnings. */
function namedBelow(lines: readonly string[], at: number): number {
  const message = lines[at] ?? '';
  const isNamed = namesSomething(message) || NAMING.test(message) || placeNear(lines, at, 1) !== undefined;
  if (isNamed || /^\s+-\s/.test(lines[at + 1] ?? '')) return at;
  const below = lines.slice(at + 1, at + 1 + MOST_BELOW);
  const next = below.findIndex((line) => speaksOfError(line) && namesSomething(line) && placeIn(line) === undefined);
  if (next >= 0) return at + 1 + next;
  const warned = lines.findIndex(
    (line, index) => /\bwarning\b/i.test(line) && placeNear(lines, index, 1) !== undefined,
  );
  return warned < 0 ? at : warned;
}

/** Returns what the lines around a message add to it: a list, the versions that were expected and found, its place. */
function detailBelow(lines: readonly string[], at: number): string | undefined {
  const message = lines[at] ?? '';
  const next = lines[at + 1] ?? '';
  if (!namesSomething(message) && /^\s+-\s/.test(next)) return ` ${next.trim()}`;
  const below = lines.slice(at + 1, at + MOST_BELOW);
  const expected = below.findIndex((line) => /^\s*Expected\b[^:]*: /.test(line));
  const got = below[expected + 1] ?? '';
  if (expected >= 0 && /^\s*(?:Got|Received|Actual)\b[^:]*: /.test(got))
    return ` (${below[expected]?.trim()}, ${got.trim()})`;
  return bracketed(placeNear(lines, at, PLACE_BELOW));
}

function bracketed(place: string | undefined): string | undefined {
  return place === undefined ? undefined : ` (${place})`;
}
