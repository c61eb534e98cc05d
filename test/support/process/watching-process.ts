// A process that watches a command which ignores SIGTERM, for the test that kills it. Prints a line once the command runs.
import { spawn } from 'node:child_process';
import { watchGroup } from '../../aws-local/watchdog.ts';

const script = 'trap "" TERM; echo ready; while true; do sleep 1; done';
const command = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
watchGroup(command.pid ?? 0);
command.stdout.pipe(process.stdout);
