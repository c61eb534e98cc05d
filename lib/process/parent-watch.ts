import { isRunning, procText, statFields } from './process-info.ts';

const INTERVAL_MS = 500;

/**
 * Calls `gone` when one of the processes that started this one has ended: npm and the shell between. A kill of npm
 * alone signals no other process, and what npm started must not outlive it. Without /proc only the parent is watched.
 */
export function watchParents(gone: () => void): void {
  const parent = process.ppid;
  const above = startedByNpm() ? ancestors(parent) : [];
  const timer = setInterval(() => {
    if (process.ppid === parent && above.every(isRunning)) return;
    clearInterval(timer);
    gone();
  }, INTERVAL_MS);
  timer.unref();
}

function startedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** The processes from this one up to the npm that runs the script. */
function ancestors(from: number): number[] {
  const above: number[] = [];
  for (let pid: number | undefined = from; pid !== undefined && pid > 1; pid = parentOf(pid)) {
    above.push(pid);
    if (isNpm(pid)) return above;
  }
  return [from];
}

function isNpm(pid: number): boolean {
  return /\bnpm(?:-cli)?\b/.test(procText(`${pid}/cmdline`).replaceAll('\0', ' '));
}

function parentOf(pid: number): number | undefined {
  const parent = statFields(procText(`${pid}/stat`))[1];
  return parent === undefined ? undefined : Number(parent);
}
