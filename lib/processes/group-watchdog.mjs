// Ends the applications when the platform is gone, SIGKILL included. The platform holds the other end of this process's
// standard input and writes a line per process group, `+<pgid>` and `-<pgid>`; the end of the input is the platform's end,
// because the kernel closes a dead process's files. Plain JavaScript and without imports, so that it starts fast, stays
// small and depends on nothing that could fail.
const groups = new Set();
let rest = '';

// A terminal's Ctrl-C and a service manager's SIGTERM reach this process too; it must outlive the platform by a moment.
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
    if (alive && Date.now() - began < 700) return;
    clearInterval(timer);
    signalAll('SIGKILL');
    process.exit(0);
  }, 50);
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
