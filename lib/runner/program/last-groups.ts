import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { tellGroups } from '../../process/watched-groups.ts';

/**
 * Is told of process groups in lines (`tellGroups`), and kills those that there are when its input ends, or at the line `end`.
 * After the end of its input it keeps its sockets for a moment, in which the kernel ends the sandboxes of the same process.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
last=
while read -r line; do
  group=\${line#?}
  case $line$groups in
    quit*) exit ;;
    end*) last=yes; break ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
    -*) ;;
    *) groups="$groups$group " ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done
[ "$last" ] || sleep 0.5
`;

/** A shell beside this process, which takes one megabyte. */
export interface LastShell {
  /** Gives it these listening sockets, so that their ports are not free before the groups and sandboxes of this process have ended. */
  hold(sockets: readonly Server[]): void;
  /** Ends it with the groups that are left. */
  end(): void;
}

/**
 * Kills the groups of this process when it has been killed itself, by a shell. The signal that a
 * kernel sends at the end of a parent (PR_SET_PDEATHSIG) would end the first process of each only: npm, and not its server.
 */
export function killGroupsAfterwards(): LastShell {
  let shell: ChildProcess | undefined;
  let held: readonly Server[] = [];
  const say = (line: string) => {
    shell ??= startShell(held);
    shell.stdin?.write(`${line}\n`);
  };
  tellGroups(say);
  return {
    hold: (sockets) => {
      if (shell && sockets.length === held.length && sockets.every((one) => held.includes(one))) return;
      const before = shell;
      held = sockets;
      shell = startShell(held);
      tellGroups(say);
      before?.stdin?.end('quit\n');
    },
    end: () => void shell?.stdin?.end('end\n'),
  };
}

function startShell(sockets: readonly Server[]): ChildProcess {
  const stdio: StdioOptions = ['pipe', 'ignore', 'ignore', ...sockets.map(descriptorOf)];
  // What ends this process must not end it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio });
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  return shell;
}

/** Node tells it of the handle only, which has no types. */
function descriptorOf(server: Server): number | 'ignore' {
  const handle: unknown = Reflect.get(server, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
  return typeof fd === 'number' && fd >= 0 ? fd : 'ignore';
}
