import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Failure } from '../errors.ts';

export type Git = ReturnType<typeof gitIn>;

/**
 * Returns git for a folder, with the user's configuration. It never asks for a password. `run` returns how a command has
 * ended, whatever its exit code; `read` its output, null when it fails.
 */
export function gitIn(folder: string, env: Readonly<Record<string, string | undefined>>, signal: AbortSignal) {
  const run = async (args: readonly string[]) => {
    const child = spawn('git', args, {
      cwd: folder,
      env: { ...env, PATH: env.PATH ?? process.env.PATH, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    const code = new Promise<number>((resolve, reject) => {
      child.on('close', (status) => resolve(status ?? 1));
      child.on('error', (cause) => reject(failure(cause)));
    });
    const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), code]);
    return { code: status, out: out.trim(), err: err.trim() };
  };
  return {
    run,
    read: async (args: readonly string[]) => {
      const { code, out } = await run(args);
      return code === 0 ? out : null;
    },
  };
}

function failure(cause: Error): Error {
  const isMissing = 'code' in cause && cause.code === 'ENOENT';
  return isMissing ? new Failure('git was not found: install it (https://git-scm.com/downloads).', { cause }) : cause;
}
