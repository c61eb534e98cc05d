import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { OperatorError } from '../../processes/operator-error.ts';

/** Git, run with arguments (never through a shell) and away from the settings of whoever runs it. */
export interface Git {
  /** What the command prints. Throws `GitFailed` when it exits with anything but 0. */
  read(args: readonly string[], input?: string): Promise<string>;
  /** What the command prints, or null when it exits with anything but 0. */
  ask(args: readonly string[], input?: string): Promise<string | null>;
  /** The running command, for streams; `environment` is added to the little that it gets. */
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
}

/** Git said no. The message holds what it printed to stderr. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

const maxOutput = 64 * 1024 * 1024;
const passedOn = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'PATHEXT'];

/** Git as a command; `git` on the PATH unless another is named. Each call throws an `OperatorError` when there is none. */
export function gitCommand(command = 'git'): Git {
  const read = (args: readonly string[], input?: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { env: gitEnvironment(), maxBuffer: maxOutput, encoding: 'utf8' } as const;
      const child = execFile(command, [...args], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(failure(error, args[0] ?? '', stderr));
      });
      // A command that ends without reading its input is judged by its exit code, not by the broken pipe.
      child.stdin?.on('error', () => {}).end(input ?? '');
    });
  return {
    read,
    ask: (args, input) =>
      read(args, input).catch((error: unknown) => {
        if (error instanceof GitFailed) return null;
        throw error;
      }),
    start: (args, environment = {}) => spawn(command, [...args], { env: { ...gitEnvironment(), ...environment } }),
  };
}

/**
 * What git may know of its surroundings: where programs are, and nothing else. Neither the user's nor the system's
 * configuration applies (aliases, signing, filters), nothing asks at the terminal, and a data folder of another owner is
 * no reason to refuse (https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory).
 */
function gitEnvironment(): Record<string, string> {
  const kept = passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']]));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
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
  return new GitFailed(`git ${subcommand}: ${first}`, { cause: error });
}
