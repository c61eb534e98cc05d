import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from '../../functions/core/concurrency.ts';
import { covering, KEYS, privateFilesIn, privateKernelFiles } from './private-files.ts';
import { procText } from './process-info.ts';

/** How processes of applications and builds are isolated on this machine. */
export interface Isolation {
  /** Bubblewrap, with what starts it. https://github.com/containers/bubblewrap */
  readonly command: readonly [program: string, ...args: string[]];
  /** `TIGHTER`, or `EARLIER` where this bubblewrap does not know that. */
  readonly options: readonly string[];
  /** The service's data folder, of which only what a process is to see is there. */
  readonly hidden: string;
}

/** What a process sees besides the programs of the machine. */
export interface Sight {
  /** The folder that it has at a place that is the same for each folder beside that; absent for none. */
  readonly release?: string;
  /** Folders into which it may write, which exist. */
  readonly writable: readonly string[];
  /** Folders and files that it may read, where they exist. */
  readonly readable: readonly string[];
  /** The folder in which its `/tmp` is made, and removed with it. */
  readonly temporaries: string;
  /** Its `DATA_DIR`, in which there may be a pid file of an earlier process. */
  readonly dataDir?: string | undefined;
}

/** The sandbox of one process, with all that it starts. */
export type Sandbox = Isolation & Sight;

/** Programs and libraries, as the machine has them. */
const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/** What programs read of the machine's configuration: names, certificates, time zone, fonts. No passwords. */
const CONFIGURATION = [
  ...['alternatives', 'ca-certificates', 'fonts', 'gai.conf', 'group', 'host.conf', 'hostname', 'hosts', 'ld.so.cache'],
  ...['localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd', 'pki', 'protocols', 'resolv.conf'],
  ...['services', 'ssl', 'static', 'timezone'],
].map((name) => `/etc/${name}`);
/** Folders among the programs in which npm has its global settings, perhaps with the token of a registry: they are not seen. */
const SETTINGS = settingsIn(['/usr', '/usr/local', dirname(dirname(process.execPath))]);

export function settingsIn(prefixes: readonly string[]): readonly string[] {
  const folders = prefixes.map((prefix) => join(prefix, 'etc'));
  return [...new Set(folders)].filter((folder) => existsSync(join(folder, 'npmrc')));
}

/** What Node reads of its limits, and of its processors. */
const CGROUPS = '/sys/fs/cgroup';
const PROCESSORS = '/sys/devices/system/cpu';
/** Settings of the kernel, which the root of this machine may change without any capability. */
const KERNEL = ['/proc/sys', '/proc/sysrq-trigger'];

/** The network is that of the machine: an application listens on 127.0.0.1, where the service finds it. */
const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'];

/**
 * Returns how a process sees its limits. Where there is one hierarchy of groups (cgroup v2), in a namespace with its own group as
 * the first, and none of the others of this machine; Node looks for its limits by the name that it has there.
 */
export function seenLimits(cgroup = procText('self/cgroup'), root = CGROUPS): readonly string[] {
  const [, name] = /^0::(\/.*)\n$/.exec(cgroup) ?? [];
  // That of a process outside of its own namespace begins with `/..`.
  const folder = name === undefined || name.startsWith('/..') ? undefined : join(root, name);
  return folder !== undefined && existsSync(folder)
    ? ['--unshare-cgroup-try', '--ro-bind-try', folder, CGROUPS]
    : ['--ro-bind-try', CGROUPS, CGROUPS];
}

/** Returns the place at which a process in a sandbox has its release. */
export function placeOf(release: string): string {
  return join(dirname(release), 'current');
}

/** Returns a text with the paths below a folder as those below another one. */
export function withPaths(text: string, from: string, to: string): string {
  return text.split(from).reduce((before, after) => `${before}${/^[\w.-]/.test(after) ? from : to}${after}`);
}

interface Inside {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder that is its `/tmp`. */
  readonly temporary: string;
}

/** Shared memory that can be written to, in a `/dev` that can not. */
const SHARED_MEMORY = ['--tmpfs', '/dev/shm', '--remount-ro', '/dev'];
/**
 * What only later versions of bubblewrap have: no namespaces within these, which are a large part of what attacks a kernel; and a
 * size of what is stored in `/dev/shm`, which is memory of no process: 64 MB, as in containers.
 */
export const TIGHTER = ['--disable-userns', '--size', String(64 * 1024 * 1024), ...SHARED_MEMORY];
/** For those that do not know that. */
export const EARLIER = SHARED_MEMORY;

/** Returns the arguments of bubblewrap before the command. What is named later lies over what is named before. */
export function sandboxArguments(
  { options, hidden, writable, readable, release }: Sandbox,
  { cwd, env, temporary }: Inside,
): readonly string[] {
  return [
    ...NAMESPACES,
    ...machine(),
    ...options,
    // The data folder may lie in /tmp.
    ...['--die-with-parent', '--bind', temporary, '/tmp', '--symlink', '/tmp', '/var/tmp', '--tmpfs', hidden],
    ...readable.filter((path) => !isProgram(path)).flatMap((path) => ['--ro-bind-try', path, path]),
    // Releases that were built before they had one place look for their files at their own.
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...(release === undefined ? [] : ['--bind', release, placeOf(release)]),
    // What is between these folders can be written neither.
    ...[hidden, ...SETTINGS, '/'].flatMap((folder) => ['--remount-ro', folder]),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', cwd],
  ];
}

/** The arguments of the trial: as those of any process, with nothing to write into; its filter comes by a descriptor. */
export function trialArguments(options: readonly string[], filter: number): readonly string[] {
  const seccomp = ['--seccomp', String(filter)];
  return [...seccomp, ...NAMESPACES, ...machine(), ...options, '--tmpfs', '/tmp', '--', '/bin/sh', '-c', ':'];
}

/** What of it only some users of the machine may read. The service may be one of them, or root. */
const privateFiles = once(() => [
  ...CONFIGURATION.flatMap(privateFilesIn),
  ...KEYS,
  ...(process.getuid?.() === 0 ? privateKernelFiles() : []),
]);

/** The arguments for what each process sees of the machine. */
function machine(): readonly string[] {
  return [...asOfMachine(), ...covering(privateFiles())];
}

const asOfMachine = once((): readonly string[] => {
  return [
    ...[...PROGRAMS, ...CONFIGURATION].flatMap(asItIs),
    ...SETTINGS.flatMap((folder) => ['--tmpfs', folder]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...seenLimits(),
    ...[PROCESSORS, ...KERNEL].flatMap((path) => ['--ro-bind-try', path, path]),
  ];
});

/** A link stays one: what it leads to may be replaced while the process runs, as the name servers are. */
function asItIs(path: string): readonly string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink) return ['--ro-bind-try', path, path];
  const link = ['--symlink', readlinkSync(path), path];
  const target = targetOf(path);
  return target === undefined || isProgram(target)
    ? link
    : ['--ro-bind-try', dirname(target), dirname(target), ...link];
}

/** Whether a path is of the machine's programs, which are there as a whole. */
function isProgram(path: string): boolean {
  return PROGRAMS.some((folder) => path.startsWith(`${folder}/`)) && !SETTINGS.includes(dirname(path));
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
