import { accessSync, closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { oneLine } from '../../../functions/core/text.ts';
import { hasCode } from '../../files/errors.ts';
import { programOn } from '../../process/command.ts';

/** What Linux reads of a script, in bytes. */
const LONGEST_FIRST_LINE = 256;
const LONGEST_SHOWN = 80;
/** The longest argument or variable, in bytes: MAX_ARG_STRLEN of https://man7.org/linux/man-pages/man2/execve.2.html */
const LONGEST_ARGUMENT = 128 * 1024;

interface Program {
  readonly program: string;
  readonly cwd: string;
}

interface ProgramCall extends Program {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws, as `spawn` does, when a program cannot be run: in a sandbox its output alone would say so. */
export function checkProgram({ program, cwd, args, env }: ProgramCall): void {
  const texts = [...args, ...Object.entries(env).map((variable) => variable.join('='))];
  if (texts.some((text) => Buffer.byteLength(text) >= LONGEST_ARGUMENT)) throw failedWith('E2BIG');
  const file = program.includes('/') ? resolve(cwd, program) : programOn(program, env.PATH);
  if (file === undefined) throw failedWith('ENOENT');
  accessSync(file, constants.X_OK);
  const interpreter = interpreterOf(file);
  if (interpreter !== undefined) accessSync(interpreter);
}

function failedWith(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function interpreterOf(file: string): string | undefined {
  return /^#![ \t]*([^\n \t]+)/.exec(beginningOf(file))?.[1];
}

/** The error of a program that could not be run, for whoever has named it. */
export function notRun({ program, cwd }: Program, cause: unknown): Error {
  const shown = `"${program.slice(0, 80)}"`;
  const wrong = program.includes('/') ? wrongScript(resolve(cwd, program), cwd, cause) : undefined;
  if (wrong !== undefined) return new Error(`${shown} could not be run: ${wrong}.`, { cause });
  if (hasCode(cause, 'ENOENT')) return new Error(`The program ${shown} was not found.`, { cause });
  const why = hasCode(cause, 'E2BIG')
    ? 'its command line or one of its variables is too long for the system'
    : `the system refuses it${codeOf(cause)}`;
  return new Error(`${shown} could not be run: ${why}.`, { cause });
}

/** Returns the code of an error of the system, in parentheses. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${error.code})` : '';
}

/** What is wrong with a file that is there and cannot be run. */
function wrongScript(file: string, cwd: string, cause: unknown): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  if (hasCode(cause, 'EACCES')) {
    return `it has no execute bit; "git update-index --chmod=+x ${basename(file)}" in its folder sets it`;
  }
  if (!hasCode(cause, 'ENOENT')) return undefined;
  // A link may lead to a file of somebody else.
  if (!realpathSync(file).startsWith(realpathSync(cwd) + sep)) return undefined;
  // The system looks for the interpreter.
  const [first = ''] = beginningOf(file).split('\n');
  return first.endsWith('\r')
    ? 'its lines end as on Windows (CRLF); commit it with LF'
    : `its first line, "${oneLine(first, LONGEST_SHOWN)}", names a program that is not there`;
}

function beginningOf(file: string): string {
  const buffer = Buffer.alloc(LONGEST_FIRST_LINE);
  // A build can make a pipe that can be run: its open would wait for ever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw failedWith('EACCES');
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
}
