import { type ExecFileOptions, execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

// What a build or an application has made is copied and removed by programs that follow no link, even one that is put in place of
// a folder meanwhile, and a million files there are walked by their processes, not by the service.
const run = promisify(execFile);

/** A folder may have been written to meanwhile. */
const MOST_TRIES = 3;

/** Removes a file or a folder, if it is there, also one whose permissions do not let its owner in. */
export async function removeTree(path: string): Promise<void> {
  const place = ['--', `./${basename(path)}`];
  const at = { cwd: dirname(path) };
  for (let tries = 1; await isThere(path); tries += 1) {
    const failed = await run('rm', ['-rf', ...place], at).catch((error: unknown) => ({ error }));
    if (!('error' in failed)) return;
    if (tries === MOST_TRIES) throw failed.error;
    await run('chmod', ['-R', 'u+rwX', ...place], at).catch(() => undefined);
  }
}

/** Copies a file or a folder to a place where there is nothing, with links as links. Throws when that fails, and leaves a part. */
export async function copyTree(from: string, to: string): Promise<void> {
  await run('cp', ['-a', '--', from, to]);
}

/** Copies what is no pipe and no device; what is there stays. Not by `cp`, of which each system has another `-n`. */
const ADD = `const fs = require('node:fs');
const filter = (path) => {
  const one = fs.lstatSync(path);
  return one.isFile() || one.isDirectory() || one.isSymbolicLink();
};
const options = { recursive: true, force: false, verbatimSymlinks: true, filter };
fs.promises.cp(process.argv[1], process.argv[2], options).catch((error) => {
  process.stdout.write(String(error.code));
  process.exitCode = 1;
});`;

/** Copies a folder to a place where there may be a part of it, whose files stay. Throws an Error with the system's code. */
export async function addTree(from: string, to: string): Promise<void> {
  await run(process.execPath, ['-e', ADD, from, to], { env: {} }).catch((error: Error & { stdout?: string }) => {
    throw Object.assign(new Error(`The files of ${basename(from)} could not be copied.`), { code: error.stdout });
  });
}

/** Returns what `find` prints with these arguments about what is below a folder. Throws when it could not read all of it. */
export async function foundBelow(folder: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  const { stdout, stderr } = await run('find', ['-P', folder, ...args], { ...options, encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
