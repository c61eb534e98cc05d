import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { tellGroups } from '../../process/watched-groups.ts';
import type { Descriptors } from './protocol.ts';
import { ERRORS } from './spawn.ts';

/**
 * Is told of process groups in lines (`tellGroups`), and kills those that there are when its input ends, or at the line `end`.
 * After the end of its input it becomes the command of its arguments, after a second if it is not older than ten. Without a
 * command it keeps its sockets for a moment, in which the kernel ends the sandboxes of the same process. systemd sends SIGTERM
 * to what the main process of a unit has left.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
last=
began=$(date +%s)
while read -r line; do
  group=\${line#?}
  case $line$groups in
    quit*) exit ;;
    end*) last=yes; break ;;
    alone*) set -- ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
    -*) ;;
    *) groups="$groups$group " ;;
  esac
done
trap 'last=yes' TERM
for group in $groups; do kill -KILL "-$group"; done
if [ $# = 0 ]; then [ "$last" ] || sleep 0.5; exit; fi
[ "$last" ] || [ $(($(date +%s) - began)) -ge 10 ] || sleep 1
[ "$last" ] && exit
trap - HUP INT TERM
exec "$@" </dev/null 2>${ERRORS}
`;

/** A shell beside this process, which takes one megabyte. */
export interface LastShell {
  /** Gives it these descriptors, and no others. */
  hold(sockets: Descriptors): void;
  /** Nothing takes the place of this process any more. */
  leave(): void;
  /** Ends it with the groups that are left. */
  end(): void;
}

/**
 * Kills the groups of this process when it has been killed itself, by a shell. The signal that a
 * kernel sends at the end of a parent (PR_SET_PDEATHSIG) would end the first process of each only: npm, and not its server.
 *
 * @param next the command that takes the place of this process, which has these descriptors; empty: none
 */
export function killGroupsAfterwards(next: (inherited: Descriptors) => readonly string[]): LastShell {
  let shell: ChildProcess | undefined;
  let held: Descriptors = {};
  const say = (line: string) => {
    shell ??= startShell(held, next);
    shell.stdin?.write(`${line}\n`);
  };
  tellGroups(say);
  return {
    hold: (sockets) => {
      if (shell && isDeepStrictEqual(sockets, held)) return;
      const before = shell;
      held = sockets;
      shell = startShell(held, next);
      tellGroups(say);
      before?.stdin?.end('quit\n');
    },
    leave: () => void shell?.stdin?.write('alone\n'),
    end: () => void shell?.stdin?.end('end\n'),
  };
}

/** The first descriptor after the standard ones: Node passes on others, in their order, from here on. */
const FIRST = 3;

function startShell(held: Descriptors, next: (inherited: Descriptors) => readonly string[]): ChildProcess {
  const all = Object.entries(held).flatMap(([key, fds]) => fds.map((fd) => ({ key, fd })));
  const numbersOf = (key: string) => all.flatMap((one, index) => (one.key === key ? [FIRST + index] : []));
  const command = next(Object.fromEntries(Object.keys(held).map((key) => [key, numbersOf(key)])));
  const stdio: StdioOptions = ['pipe', 'ignore', 'ignore', ...all.map(({ fd }) => fd)];
  // What ends this process must not end it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...command], { detached: true, stdio });
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  return shell;
}
