import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../files/errors.ts';

/** The git command, run without a shell and without the configuration of the user and the system. */
export interface Git {
  /** Returns the command's output. Throws `GitFailed` when it exits with anything but 0. */
  read(args: readonly string[], input?: string): Promise<string>;
  /**
   * Returns the command's output, or null when it exits with anything but 0. Throws `GitFailed` when it was killed: that
   * says nothing of the repository.
   */
  ask(args: readonly string[], input?: string): Promise<string | null>;
  /**
   * Starts the command, for streams; `environment` is added to its variables. With `asGroup` it is the leader of a
   * process group, and it and what it starts have a socket as file descriptor 3, whose other end is `stdio[3]`.
   */
  start(
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
    options?: { readonly asGroup: boolean },
  ): ChildProcessWithoutNullStreams;
}

/** A bare repository, and the git command to read it with. */
export interface BareRepository {
  readonly git: Git;
  readonly folder: string;
}

/** Git exited with an error, or was killed. The message holds the first line that it printed to stderr. */
class GitFailed extends Error {
  override readonly name = 'GitFailed';
  /** Whether git itself ended, with an exit code. */
  readonly hasExited: boolean;

  constructor(message: string, cause: Error) {
    super(message, { cause });
    this.hasExited = 'code' in cause && typeof cause.code === 'number';
  }
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PASSED_VARIABLES = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'PATHEXT'];

/**
 * Returns the git command, `git` on the PATH by default. Its methods throw an `OperatorError` when it is not installed.
 */
export function gitCommand(command = 'git'): Git {
  const read = (args: readonly string[], input?: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { env: gitEnvironment(), maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' } as const;
      const child = execFile(command, [...args], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(failure(error, args[0] ?? '', stderr));
      });
      // When a command exits without reading its input, its exit code decides, not the broken pipe.
      child.stdin?.on('error', () => {}).end(input ?? '');
    });
  return {
    read,
    ask: (args, input) =>
      read(args, input).catch((error: unknown) => {
        if (error instanceof GitFailed && error.hasExited) return null;
        throw error;
      }),
    start: (args, environment = {}, { asGroup } = { asGroup: false }) => {
      const stdio: 'pipe'[] = ['pipe', 'pipe', 'pipe', ...(asGroup ? (['pipe'] as const) : [])];
      const env = { ...gitEnvironment(), ...environment };
      const child = spawn(command, [...args], { env, stdio, detached: asGroup });
      // The types know these streams only where there are exactly three.
      return child as ChildProcessWithoutNullStreams;
    },
  };
}

/**
 * Returns git's environment. The configuration of the user and of the system does not apply (aliases, signing,
 * filters), nothing prompts at the terminal, a data folder with another owner is accepted
 * (https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory), and no object stands for another
 * one (https://git-scm.com/docs/git-replace): what runs is the commit that the log names.
 */
function gitEnvironment(): Record<string, string> {
  const kept = PASSED_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']],
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: join(devNull, 'none'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

function failure(error: Error, subcommand: string, stderr: string): Error {
  if ('code' in error && error.code === 'ENOENT') {
    return new OperatorError('git was not found: install it (https://git-scm.com/downloads), then start again.');
  }
  const first = stderr.trim().split('\n', 1)[0] || 'it failed';
  // In the words of LC_ALL: git has no code for it.
  const isFull = stderr.includes('No space left on device');
  return new GitFailed(`git ${subcommand}: ${first}`, isFull ? Object.assign(error, { code: 'ENOSPC' }) : error);
}
