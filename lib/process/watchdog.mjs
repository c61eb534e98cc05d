// Ends process groups when the process that started this one has ended, by SIGKILL too. That process holds the other
// end of standard input and writes a line per group, `+<pgid>` or `-<pgid>`; the end of the input is its end, because
// the kernel closes the files of a dead process. Plain JavaScript without imports: it starts fast, stays small, and has
// nothing that could fail.
const GRACE_MS = 700;
const POLL_MS = 50;

const groups = new Set();
let rest = '';

// Ctrl-C in a terminal and a service manager's SIGTERM reach this process too; it must outlive its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const group = Number(line.slice(1));
    if (!Number.isInteger(group) || group <= 1) continue;
    if (line.startsWith('+')) groups.add(group);
    else groups.delete(group);
  }
});
process.stdin.on('error', end);
process.stdin.on('end', end);

function end() {
  signalAll('SIGTERM');
  const began = Date.now();
  const timer = setInterval(() => {
    const alive = [...groups].some((group) => signalled(group, 0));
    if (alive && Date.now() - began < GRACE_MS) return;
    clearInterval(timer);
    signalAll('SIGKILL');
    process.exit(0);
  }, POLL_MS);
}

function signalAll(signal) {
  for (const group of groups) signalled(group, signal);
}

function signalled(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}
