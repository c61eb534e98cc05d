import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { watchParents } from '../../process/parent-watch.ts';
import { NOT_RUNNING, reportText, SOCKET, TAKEN } from './report.ts';

// The program behind every repository's post-receive hook (https://git-scm.com/docs/githooks#post-receive), for pushes
// into the folder: its one argument is the host's data folder, it runs in the bare repository, and git shows its output to
// the user who pushes.
const end = () => process.exit(0);
const folder = process.cwd();
const moved = readFileSync(0, 'utf8');
process.stdout.on('error', end);
watchParents(end);
// A path from here: that of a socket may have a hundred characters only.
process.chdir(process.argv[2] ?? '');
let heard = '';
let isTaken = false;
const socket = connect(SOCKET, () => socket.write(reportText({ folder, moved, options: pushOptions() })));
socket.setEncoding('utf8').on('data', (text: string) => {
  if (isTaken) return void process.stdout.write(text);
  heard += text;
  if (!heard.includes('\n')) return;
  isTaken = heard.startsWith(`${TAKEN}\n`);
  process.stdout.write(heard.slice(heard.indexOf('\n') + 1));
});
socket
  .on('error', () => {})
  .on('close', () => {
    if (!isTaken) process.stdout.write(`${NOT_RUNNING}\n`);
  });

function pushOptions(): string[] {
  const count = Number(process.env.GIT_PUSH_OPTION_COUNT ?? 0);
  return Array.from({ length: count }, (_, place) => process.env[`GIT_PUSH_OPTION_${place}`] ?? '');
}
