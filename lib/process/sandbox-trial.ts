import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { programOn } from './command.ts';
import { keyFilter } from './private-files.ts';
import { EARLIER, type Isolation, TIGHTER, trialArguments } from './sandbox.ts';

/** Bubblewrap, or why applications cannot be isolated on this machine and what changes it, in one sentence. */
export type Trial = Pick<Isolation, 'command' | 'options'> | { readonly why: string };

/** What the trial reads of the machine. */
interface Machine {
  readonly platform: NodeJS.Platform;
  readonly path: string | undefined;
  /** Runs bubblewrap with these options; returns what it has printed when it has failed. */
  readonly run: (command: Isolation['command'], options: readonly string[]) => Promise<string | undefined>;
  /** The text of a file of /proc/sys; undefined where there is none. */
  readonly kernel: (name: string) => string | undefined;
}

const LIMIT_MS = 10_000;
/** Each package manager with the command that installs it. */
const INSTALLATIONS = [
  ['apt-get', 'apt install bubblewrap'],
  ['dnf', 'dnf install bubblewrap'],
  ['apk', 'apk add bubblewrap'],
  ['pacman', 'pacman -S bubblewrap'],
  ['zypper', 'zypper install bubblewrap'],
] as const;

/** Bubblewrap does not start with a right that the service has been given. */
const CAPABLE = /unexpected capabilities/i;

/** Starts a process in a sandbox as those of applications are, once. */
export async function trySandbox(machine: Partial<Machine> = {}): Promise<Trial> {
  const { platform, path, run, kernel } = { ...thisMachine(), ...machine };
  if (platform !== 'linux') return { why: `${platform === 'darwin' ? 'macOS' : platform} has no namespaces` };
  const bwrap = programOn('bwrap', path);
  if (bwrap === undefined) {
    const [, command] = INSTALLATIONS.find(([name]) => programOn(name, path)) ?? [];
    return { why: `bubblewrap is not installed${command === undefined ? '' : `; "${command}" installs it`}` };
  }
  const setpriv = programOn('setpriv', path);
  let command: Isolation['command'] = [bwrap];
  let options: readonly string[] = TIGHTER;
  for (;;) {
    const printed = await run(command, options);
    if (printed === undefined) return { command, options };
    if (/unknown option/i.test(printed) && options !== EARLIER) options = EARLIER;
    else if (CAPABLE.test(printed) && setpriv !== undefined && command.length === 1)
      command = [setpriv, '--inh-caps=-all', '--ambient-caps=-all', bwrap];
    else return { why: whyNot(printed, kernel) };
  }
}

/** https://github.com/containers/bubblewrap/blob/main/README.md#limitations */
function whyNot(printed: string, kernel: Machine['kernel']): string {
  if (CAPABLE.test(printed)) {
    return 'bubblewrap refuses to start with the right to low ports (AmbientCapabilities), which setpriv of util-linux gives up; or let a proxy take those';
  }
  const isDenied = /namespace|uid map|Operation not permitted|Permission denied/i.test(printed);
  if (isDenied && kernel('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return 'AppArmor denies user namespaces to bubblewrap; the profile bwrap-userns-restrict of the package apparmor-profiles allows them to it alone: copy it from /usr/share/apparmor/extra-profiles to /etc/apparmor.d, then "systemctl reload apparmor"';
  }
  if (isDenied && kernel('kernel/unprivileged_userns_clone') === '0') {
    return 'the kernel denies user namespaces; "sysctl kernel.unprivileged_userns_clone=1" allows them';
  }
  if (isDenied && kernel('user/max_user_namespaces') === '0') {
    return 'the kernel denies user namespaces; "sysctl user.max_user_namespaces=10000" allows them';
  }
  const lastLine =
    printed
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^bwrap: /, '') ?? '';
  return isDenied
    ? `this system or its container does not allow user namespaces to bubblewrap (${lastLine})`
    : `bubblewrap does not work here (${lastLine})`;
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    path: process.env.PATH,
    run: async ([program, ...args], options) => {
      const child = spawn(program, [...args, ...trialArguments(options, 3)], {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
        timeout: LIMIT_MS,
      });
      const filter = child.stdio[3] as Duplex;
      filter.on('error', () => {}).end(keyFilter());
      const ended = once(child, 'close').catch((error: Error) => [error.message]);
      const [[code], printed] = await Promise.all([ended, text(child.stdio[2] as Readable)]);
      return code === 0 ? undefined : printed || String(code);
    },
    kernel: (name) => {
      const file = `/proc/sys/${name}`;
      return existsSync(file) ? readFileSync(file, 'latin1').trim() : undefined;
    },
  };
}
