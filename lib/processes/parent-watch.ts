import { readFileSync } from 'node:fs';

const PAUSE = 500;

/**
 * Calls `gone` when one of the processes that started this one is no more: npm and the shell between. A kill of npm
 * alone reaches nobody else, and what it started must not stay behind. Where there is no /proc, only the parent is
 * looked at.
 */
export function watchParents(gone: () => void): void {
  const parent = process.ppid;
  const above = startedByNpm() ? ancestors(parent) : [];
  const timer = setInterval(() => {
    if (process.ppid === parent && above.every(isAlive)) return;
    clearInterval(timer);
    gone();
  }, PAUSE);
  timer.unref();
}

function startedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** From a process up to the npm that runs the script. */
function ancestors(from: number): number[] {
  const found: number[] = [];
  for (let pid: number | undefined = from; pid !== undefined && pid > 1; pid = parentOf(pid)) {
    found.push(pid);
    if (isNpm(pid)) return found;
  }
  return [from];
}

function isNpm(pid: number): boolean {
  return /\bnpm(?:-cli)?\b/.test(readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? '');
}

function parentOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  // The program's name in parentheses may hold spaces; its parent is the second field behind it.
  const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? undefined : Number(parent);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
