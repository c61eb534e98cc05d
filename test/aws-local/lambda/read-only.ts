import { spawnSync } from 'node:child_process';

/** Binds a folder to itself read-only, goes into it, and becomes the program: `$0` is the folder. */
const IN_READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';

let namespace: readonly string[] | null | undefined;

/**
 * Returns the command that runs a program in a folder which nobody can write, as in `/var/task` on Lambda, whose only
 * writable folder is `/tmp`. The program sees the mount, the rest of the machine does not. Where the system allows no
 * mounts, it is the program alone.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export function readOnly(folder: string, program: string): readonly [string, ...string[]] {
  const own = ownMounts();
  return own ? ['unshare', ...own, 'sh', '-c', IN_READ_ONLY, folder, program] : [program];
}

/** Whether artifacts are read-only on this machine. */
export function canBeReadOnly(): boolean {
  return ownMounts() !== undefined;
}

function ownMounts(): readonly string[] | undefined {
  if (namespace !== undefined) return namespace ?? undefined;
  const flags = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const { status } = spawnSync('unshare', [...flags, 'sh', '-c', IN_READ_ONLY, '.', 'true'], {
    cwd: import.meta.dirname,
    stdio: 'ignore',
  });
  namespace = status === 0 ? flags : null;
  return namespace ?? undefined;
}
