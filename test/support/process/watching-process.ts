// A process with a watched command, for the tests that kill it. Prints the id of the command's process.
import { spawnWatched } from '../../../lib/process/command.ts';

const command = spawnWatched('sh', ['-c', 'trap "" TERM; echo $$ >&2; while true; do sleep 1; done']);
const timer = setInterval(() => {
  if (command.errors() === '') return;
  clearInterval(timer);
  console.log(command.errors());
}, 10);
