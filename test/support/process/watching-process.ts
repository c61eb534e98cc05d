// A process with a watched command, for the tests that kill it. Prints the id of the command's process. With the argument
// `untold`, the watchdog is told of no group: as when the process is killed just after it has started the command.
import { spawn } from 'node:child_process';
import { PROCESS_MARK } from '../../../lib/process/marks.ts';
import { spawnWatched } from '../../aws-local/emulators/watched-command.ts';
import { newMark } from '../../aws-local/watchdog.ts';

const script = ['-c', 'trap "" TERM; echo $$ >&2; while true; do sleep 1; done'];
if (process.argv[2] === 'untold') {
  const env = { ...process.env, [PROCESS_MARK]: newMark() };
  const child = spawn('sh', script, { detached: true, env, stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.once('data', (pid) => console.log(String(pid)));
} else {
  const command = spawnWatched('sh', script);
  const timer = setInterval(() => {
    if (command.errors() === '') return;
    clearInterval(timer);
    console.log(command.errors());
  }, 10);
}
