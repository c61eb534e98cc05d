// Runs one command and takes it along when the process that started this one is gone, however it went.
// The other end of stdin is held by that process alone: the kernel closes it even on SIGKILL, and that is the signal.
// Plain JavaScript, because it is started by bare node, without a TypeScript loader.
import { spawn } from 'node:child_process';

const GRACE_MS = 400;
const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

function stop() {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
}

child.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.once('exit', (code) => process.exit(code ?? 1));
process.stdin.once('close', stop).resume();
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// Writing on for a parent that is gone must not end this process before its child.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
