import { type ChildProcess, spawn } from 'node:child_process';
import { tellGroups } from '../../process/watched-groups.ts';

/** Is told of process groups in lines (`tellGroups`), and kills those that there are when its input ends. */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r line; do
  group=\${line#?}
  case $line$groups in
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
    -*) ;;
    *) groups="$groups$group " ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done
`;

/**
 * Has the groups of this process killed when it has been killed itself, by a shell, which takes one megabyte. The signal that a
 * kernel sends at the end of a parent (PR_SET_PDEATHSIG) would end the first process of each only: npm, and not its server.
 */
export function killGroupsAfterwards(): void {
  let shell: ChildProcess | undefined;
  tellGroups((line) => {
    shell ??= startShell();
    shell.stdin?.write(`${line}\n`);
  });
}

function startShell(): ChildProcess {
  // What ends this process must not end it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
