// Ends process groups when the process that started this one has ended, by SIGKILL too. That process holds the other
// end of standard input and writes a line per group, `+<pgid>` or `-<pgid>`, and `.` when nothing runs any more; the end of
// the input is its end, because the kernel closes the files of a dead process. The argument is the beginning of a variable
// that all processes have which it started: by that those are found whose group it had not written yet, on Linux.
// Plain JavaScript without packages: it starts fast, stays small, and has nothing that could fail.
import { readdirSync, readFileSync } from 'node:fs';

const GRACE_MS = 700;
/** A process may have been forked at the moment of the kill, and has no variables before it runs its program. */
const LEAST_MS = 200;
/** After SIGKILL, for what forks meanwhile. */
const MOST_MS = 2_000;
const POLL_MS = 50;

const [, , variable] = process.argv;

const groups = new Set();
let rest = '';

// Ctrl-C in a terminal and a service manager's SIGTERM reach this process too; it must outlive its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    if (line === '.') process.exit(0);
    const group = Number(line.slice(1));
    if (!Number.isInteger(group) || group <= 1) continue;
    groups.delete(group);
    if (line.startsWith('+')) groups.add(group);
  }
});
process.stdin.on('error', end);
process.stdin.on('end', end);

function end() {
  signalAll('SIGTERM');
  const began = Date.now();
  const timer = setInterval(() => {
    const elapsed = Date.now() - began;
    const alive = [...groups].some((group) => signalled(-group, 0)) || marked().length > 0;
    if (elapsed < LEAST_MS || (alive && elapsed < GRACE_MS)) return;
    signalAll('SIGKILL');
    if (marked().length > 0 && elapsed < MOST_MS) return;
    clearInterval(timer);
    process.exit(0);
  }, POLL_MS);
}

function signalAll(signal) {
  for (const group of groups) signalled(-group, signal);
  for (const pid of marked()) signalled(pid, signal);
}

function signalled(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A zombie has no variables, and those of another user's process cannot be read. */
function marked() {
  if (process.platform !== 'linux' || !variable) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${variable}`);
    } catch {
      return false;
    }
  });
}
