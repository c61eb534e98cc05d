import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from './operator-error.ts';
import { processStartTime } from './process-info.ts';

/**
 * Locks a data folder for one service at a time and returns a function that releases the lock. The lock of a process that
 * has ended is taken over.
 *
 * @throws OperatorError when another one runs, and when the folder cannot be made or written to
 */
export async function lockInstance(file: string): Promise<() => void> {
  const holder = readHolder(file);
  if (holder && (await isAlive(holder))) {
    throw new OperatorError(`The service already runs in this folder (process ${holder.pid}): stop it first.`);
  }
  write(file, { pid: process.pid, startTime: await processStartTime(process.pid) });
  return () => rmSync(file, { force: true });
}

interface Holder {
  readonly pid: number;
  readonly startTime: string | undefined;
}

function write(file: string, holder: Holder): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify(holder));
  } catch (cause) {
    throw new OperatorError(`The data folder ${folder} cannot be written to: check the path and its permissions.`, {
      cause,
    });
  }
}

function readHolder(file: string): Holder | null {
  try {
    const holder: Holder = JSON.parse(readFileSync(file, 'utf8'));
    return Number.isInteger(holder.pid) ? holder : null;
  } catch {
    return null;
  }
}

/** Process ids are reused, so the start time is compared as well. */
async function isAlive({ pid, startTime }: Holder): Promise<boolean> {
  const found = pid === process.pid ? undefined : await processStartTime(pid);
  return found !== undefined && found === startTime;
}
