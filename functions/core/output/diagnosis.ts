import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../json.ts';
import { jsonIn } from '../json-value.ts';
import { withCauses } from './causes.ts';
import { wrongVariables } from './missing-variable.ts';
import { namesSomething, saysSomething, speaksOfError, withoutSource } from './says-something.ts';
import { shortLines } from './short-lines.ts';

/** The exit of a process: one of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

const errorLine =
  /^(?:Uncaught )?\[?((?:[A-Z]\w*)?(?:Error|Exception|Rejection)(?: \[\w+\])?:(?: .*?)?|E[A-Z]{4,}: .+)\]?(?: \{)?$/;
/** An error behind what a program says of it: `console.error('not reachable', error)`. */
const saidError = /^(.{0,100}[\s:](?:[A-Z]\w*)?Error(?: \[\w+\])?: .+)$/;
/** As Ruby and PHP print one. */
const otherError = /^[^\s:]+:\d{1,9}:in [^\s:]+: (.+\))$|^PHP (?:Fatal|Parse) error: (.+)$/;
/** What Node says of each rejection before its reason. */
const ofRejection = /This error originated either .*?(?=The promise rejected)/;
/** An error as loggers print it, with its level. */
const loggedError =
  /^(?:\[[^\]]{1,40}\] |\d\S{0,40} ){0,3}(?:(?:error|ERROR|fatal|FATAL|CRITICAL)(?: ERROR)?:|ERROR|FATAL|CRITICAL) (?:\(\d{1,9}\): )?(.+)$/;
/** The line and the column at the end of a place. */
const position = /:(\d{1,9})(?::\d{1,9})?\)?$/;
/** Lines below an error that are looked at for the rest of its message. */
const MOST_BELOW = 60;
const MOST_CONTINUED = 5;
const MOST_LISTED = 3;
/** The first issue in a list of zod's: its path and its message. */
const ISSUE = /"path": \[([^\]]{0,200})\],\s{1,20}"message": "([^"]{0,300})"/;
/** A frame as Python prints it, above the error. */
const inPython = /^\s*File "([^"]{1,400})", line (\d{1,9}).*/;
/** What Node prints of an error besides: `code: 'ENOENT',`. */
const errorField = /^\s+\[?\w+\]?: .*(?:[,{[]|'\]?)$|^Node\.js v/;

/**
 * Returns one sentence that says why a process did not stay up, from its output: the first error with the place in the
 * application's own files (`SyntaxError: Unexpected token '}' (server.js:3)`), else how it ended.
 */
export function whyItEnded(output: readonly string[], exit: Exit, release: string): string {
  const lines = plainLines(output);
  const why = errorIn(lines, release, (lines, isIt) => lines.findIndex(isIt));
  return why ?? `The process ${howItEnded(exit)} before it answered${lastLine(lines)}`;
}

/** Returns the last error in an output, with the place in the application's own files; undefined when there is none. */
export function lastError(output: readonly string[], release: string): string | undefined {
  return errorIn(plainLines(output), release, (lines, isIt) => lines.findLastIndex(isIt));
}

type Find = (lines: readonly string[], isIt: (line: string) => boolean) => number;

/** Returns what an output says of an error: of all variables at once, else a thrown one, else one that is logged. */
function errorIn(lines: readonly string[], release: string, find: Find): string | undefined {
  const variables = wrongVariables(lines);
  if (variables !== undefined) return variables;
  const thrown = find(lines, isError);
  if (thrown >= 0) return errorAt(lines, thrown, release, errorLine);
  const logged = loggedIn(lines, find(lines, isLogged));
  if (logged !== undefined) return logged;
  const said = find(lines, (line) => saidError.test(line));
  return said < 0 ? undefined : errorAt(lines, said, release, saidError);
}

function plainLines(output: readonly string[]): readonly string[] {
  return shortLines(output).map((line) => stripVTControlCharacters(line));
}

function loggedIn(lines: readonly string[], at: number): string | undefined {
  const other = otherError.exec(lines.findLast((line) => otherError.test(line)) ?? '');
  if (other) return (other[1] ?? other[2])?.trim();
  if (at < 0) return undefined;
  return loggedAsJson(lines[at] ?? '')?.message ?? messageAt(lines, at, loggedError);
}

function isLogged(line: string): boolean {
  return loggedError.test(line.trim()) || loggedAsJson(line)?.isError === true;
}

/** An error's message with its next lines, when it goes on there, or announces them, or says only that something failed. */
function messageAt(lines: readonly string[], at: number, pattern: RegExp): string {
  const message = (pattern.exec((lines[at] ?? '').trim())?.[1] ?? '').replace(ofRejection, '').trim();
  const below = lines.slice(at + 1, at + 1 + MOST_BELOW);
  const [, path, issue] = (message.endsWith('[') && ISSUE.exec(below.join('\n'))) || [];
  if (path !== undefined)
    return `${message.slice(0, -1)}${path.replaceAll(/[\s"]/g, '').replaceAll(',', '.')}: ${issue}`;
  const own = withoutSource(below.filter((line) => !/^\s*at /.test(line)));
  const next = message.endsWith(':')
    ? listed(own)
    : saysSomething(message.replace(/^\w+(?: \[\w+\])?: /, ''))
      ? continued(message, below)
      : own.find(saysSomething);
  const whole = next === undefined || errorField.test(next) ? message : `${message} ${next.trim()}`;
  return withCauses(whole.trim(), below);
}

/** The list, of paths too, that follows a colon. */
function listed(lines: readonly string[]): string | undefined {
  const items = lines.filter((line) => /\w/.test(line)).slice(0, MOST_LISTED);
  const end = items.findIndex((line) => errorField.test(line));
  const shown = end < 0 ? items : items.slice(0, Math.max(1, end));
  return shown.length === 0 ? undefined : shown.map((line) => line.trim()).join(' ');
}

/** The lines of a sentence that is longer than its first one. */
function continued(message: string, below: readonly string[]): string | undefined {
  if (/[.:!?,)\]}]$/.test(message) || !/^\s*[a-z]|^" /.test(below[0] ?? '')) return undefined;
  const end = below
    .slice(0, MOST_CONTINUED)
    .findIndex((line) => !/^\s*[\w"]/.test(line) || /^\s*(?:at |\w+: )/.test(line));
  const lines = below.slice(0, end < 0 ? MOST_CONTINUED : end);
  return lines.length === 0 ? undefined : lines.map((line) => line.trim()).join(' ');
}

function isError(line: string): boolean {
  return errorLine.test(line.trim());
}

function errorAt(lines: readonly string[], at: number, release: string, pattern: RegExp): string {
  const message = messageAt(lines, at, pattern);
  const place = placeOf(lines, at, release);
  if (place) return `${message} (${place})`;
  const refused = namesSomething(message) ? undefined : refusedAddress(lines);
  return refused === undefined || message.includes(refused) ? message : `${message} (ECONNREFUSED ${refused})`;
}

/** `exited with code 1`, `was ended by SIGKILL`. */
export function howItEnded({ code, signal }: Exit): string {
  return signal ? `was ended by ${signal}` : `exited with code ${code}`;
}

/** Returns the port that an application could not listen on, when that is why it ended. */
export function busyPort(output: readonly string[]): number | undefined {
  // Node also prints the failing line of source, which may contain the code without a port.
  const lines = shortLines(output).filter((line) => line.includes('EADDRINUSE'));
  const ports = lines.flatMap((line) => /:(\d+)\D*$/.exec(line.slice(line.indexOf('EADDRINUSE')))?.[1] ?? []);
  return ports[0] === undefined ? undefined : Number(ports[0]);
}

/** Returns the address, such as `127.0.0.1:6379`, to which an application could not connect, as it has printed last. */
export function refusedAddress(output: readonly string[]): string | undefined {
  return shortLines(output)
    .flatMap((line) => /\bECONNREFUSED (\S+:\d+)/.exec(line)?.[1] ?? [])
    .at(-1);
}

const address = /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|port)\b\]?(?: is)?[ :=]+(\d{2,5})\b/i;

/** Returns the last port that an application has printed as its own: `Server is running on http://localhost:3000`. */
export function printedPort(output: readonly string[]): number | undefined {
  // A refused connection names the port of another program.
  const line = shortLines(output).findLast((line) => address.test(line) && !line.includes('ECONN'));
  return line === undefined ? undefined : Number(address.exec(line)?.[1]);
}

/**
 * Node prints the place of a syntax error in a line before the message and that of others in the stack after
 * it. The first place in the application's own files, dependencies excluded, helps its author most.
 */
function placeOf(lines: readonly string[], at: number, release: string): string | undefined {
  const before = lines.slice(Math.max(0, at - 6), at).filter((line) => /^(?:file:\/\/)?\//.test(line));
  const called = lines.slice(Math.max(0, at - MOST_BELOW), at).filter((line) => inPython.test(line));
  const after = lines.slice(at + 1, at + 30).filter((line) => /^\s+at /.test(line));
  const places = [...before, ...called.toReversed(), ...after].flatMap((line) => ownPlace(line, release));
  return places[0];
}

function ownPlace(line: string, release: string): string[] {
  const text = line.trim().replace(inPython, '$1:$2');
  const placed = position.exec(text);
  const path = placed && pathBefore(text.slice(0, placed.index));
  if (!path) return [];
  const isOwn = path.startsWith(`${release}/`) && !path.includes('/node_modules/');
  return isOwn ? [`${relative(release, path)}:${placed[1]}`] : [];
}

/** Returns the path at the end of a text: after a bracket, a colon, or the words of a stack's line (`at async /…`). */
function pathBefore(text: string): string | undefined {
  const rest = text.slice(Math.max(text.lastIndexOf('('), text.lastIndexOf(')')) + 1);
  const address = rest.lastIndexOf('file://');
  if (address >= 0) return pathOf(rest.slice(address));
  const path = rest.slice(rest.lastIndexOf(':') + 1);
  const start = path.indexOf('/');
  return start < 0 ? undefined : path.slice(start);
}

/** An application prints what it likes: `file:///a%2fb.js` is the address of no file. */
function pathOf(file: string): string {
  try {
    return file.startsWith('file://') ? fileURLToPath(file) : file;
  } catch {
    return file;
  }
}

function lastLine(lines: readonly string[]): string {
  const said = lines.filter(
    (line) =>
      saysSomething(line) && !/^\s*(?:at |Node\.js v)|^Bun v|^npm (?:error|ERR!) (?:A complete log| {2})/.test(line),
  );
  const last = said.findLast(speaksOfError) ?? said.at(-1) ?? lines.findLast((line) => line.trim());
  return last ? `; its last line was: ${messageOf(last).slice(0, 200)}` : ', without printing anything.';
}

/** Returns a line without a box around it; of one that a logger writes as JSON its message. */
function messageOf(line: string): string {
  const logged = loggedAsJson(line);
  if (logged) return logged.message;
  const isOut = (character: string) => /[\s│║|]/.test(character);
  const characters = [...line];
  const start = characters.findIndex((one) => !isOut(one));
  return start === -1 ? '' : characters.slice(start, characters.findLastIndex((one) => !isOut(one)) + 1).join('');
}

/** A line that a logger has written as JSON: 50 is the level of errors of pino and bunyan. */
function loggedAsJson(line: string): { readonly message: string; readonly isError: boolean } | undefined {
  const logged = line.startsWith('{') ? jsonIn(line) : undefined;
  if (!isObject(logged)) return undefined;
  const message = logged.msg ?? logged.message;
  const level = logged.level ?? logged.severity;
  const isError = typeof level === 'number' ? level >= 50 : /^(?:error|fatal|crit)/i.test(`${level}`);
  return typeof message === 'string' && message !== '' ? { message, isError } : undefined;
}
