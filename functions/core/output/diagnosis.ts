import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../json.ts';
import { jsonIn } from '../json-value.ts';
import { wrongVariables } from './missing-variable.ts';
import { saysSomething, withoutSource } from './says-something.ts';
import { shortLines } from './short-lines.ts';

/** The exit of a process: one of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

const errorLine = /^(?:Uncaught )?\[?((?:[A-Z]\w*)?(?:Error|Exception|Rejection)(?: \[\w+\])?:(?: .*?)?)\]?(?: \{)?$/;
/** As Ruby and PHP print one. */
const otherError = /^[^\s:]+:\d{1,9}:in [^\s:]+: (.+\))$|^PHP (?:Fatal|Parse) error: (.+)$/;
/** What Node says of each rejection before its reason. */
const ofRejection = /This error originated either .*?(?=The promise rejected)/;
/** An error as loggers print it, with its level. */
const loggedError = /^(?:\[[^\]]{1,40}\] )?(?:(?:error|ERROR|fatal|FATAL)(?: ERROR)?:|ERROR|FATAL) (.+)$/;
/** The line and the column at the end of a place. */
const position = /:(\d{1,9})(?::\d{1,9})?\)?$/;
/** Lines below an error that are looked at for the rest of its message. */
const MOST_BELOW = 30;
const caused = /^\s*\[cause\]: /;
/** What Node prints of an error besides: `code: 'ENOENT',`. */
const errorField = /^\s+\w+: .*,$|^Node\.js v/;

/**
 * Returns one sentence that says why a process did not stay up, from its output: the first error with the place in the
 * application's own files (`SyntaxError: Unexpected token '}' (server.js:3)`), else how it ended.
 */
export function whyItEnded(output: readonly string[], exit: Exit, release: string): string {
  const lines = plainLines(output);
  const at = lines.findIndex(isError);
  const said = wrongVariables(lines) ?? (at < 0 ? loggedIn(lines) : undefined);
  if (said !== undefined) return said;
  return at < 0 ? `The process ${howItEnded(exit)} before it answered${lastLine(lines)}` : errorAt(lines, at, release);
}

/** Returns the last error in an output, with the place in the application's own files; undefined when there is none. */
export function lastError(output: readonly string[], release: string): string | undefined {
  const lines = plainLines(output);
  const at = lines.findLastIndex(isError);
  return wrongVariables(lines) ?? (at < 0 ? loggedIn(lines) : errorAt(lines, at, release));
}

function plainLines(output: readonly string[]): readonly string[] {
  return shortLines(output).map((line) => stripVTControlCharacters(line));
}

function loggedIn(lines: readonly string[]): string | undefined {
  const other = otherError.exec(lines.findLast((line) => otherError.test(line)) ?? '');
  if (other) return (other[1] ?? other[2])?.trim();
  const at = lines.findLastIndex((line) => loggedError.test(line.trim()));
  return at < 0 ? undefined : messageAt(lines, at, loggedError);
}

/** A message that announces another, or says only that something failed, goes on with its cause or in a line below it. */
function messageAt(lines: readonly string[], at: number, pattern: RegExp): string {
  const message = (pattern.exec((lines[at] ?? '').trim())?.[1] ?? '').replace(ofRejection, '');
  if (saysSomething(message.replace(/^\w+(?: \[\w+\])?: /, ''))) return message;
  const below = lines.slice(at + 1, at + 1 + MOST_BELOW);
  const cause = below.find((line) => caused.test(line))?.replace(caused, '');
  const own = withoutSource(below.filter((line) => !/^\s*at /.test(line)));
  // A list, of paths too, follows a colon.
  const next = cause ?? own.find((line) => (message.endsWith(':') ? /\w/.test(line) : saysSomething(line)));
  if (next === undefined || errorField.test(next)) return message;
  return `${message.replace(/(?<!:)$/, ':')} ${next.trim()}`.trim();
}

function isError(line: string): boolean {
  return errorLine.test(line.trim());
}

function errorAt(lines: readonly string[], at: number, release: string): string {
  const message = messageAt(lines, at, errorLine);
  const place = placeOf(lines, at, release);
  return place ? `${message} (${place})` : message;
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
  const after = lines.slice(at + 1, at + 30).filter((line) => /^\s+at /.test(line));
  const places = [...before, ...after].flatMap((line) => ownPlace(line, release));
  return places[0];
}

function ownPlace(line: string, release: string): string[] {
  const text = line.trim();
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
  const last =
    lines.findLast((line) => saysSomething(line) && !/^\s*(?:at |Node\.js v)/.test(line)) ??
    lines.findLast((line) => line.trim());
  return last ? `; its last line was: ${messageOf(last).slice(0, 200)}` : ', without printing anything.';
}

/** Returns a line without a box around it; of one that a logger writes as JSON its message. */
function messageOf(line: string): string {
  const logged = jsonIn(line);
  if (isObject(logged) && typeof logged.msg === 'string') return logged.msg;
  const isOut = (character: string) => /[\s│║|]/.test(character);
  const characters = [...line];
  const start = characters.findIndex((one) => !isOut(one));
  return start === -1 ? '' : characters.slice(start, characters.findLastIndex((one) => !isOut(one)) + 1).join('');
}
