import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { jsonIn } from '../../functions/core/json-value.ts';
import { hasCode, OperatorError } from '../files/errors.ts';
import { processStartTime } from './process-info.ts';

interface Holder {
  readonly pid: number;
  readonly startTime: string | undefined;
}

/**
 * Locks a data folder for one service at a time and returns a function that releases the lock. The lock of a process
 * that has ended is taken over; of several that try so at the same moment, one gets it.
 *
 * @throws OperatorError when another one runs, and when the folder cannot be made or written to
 */
export async function lockInstance(file: string): Promise<() => void> {
  const ownFile = `${file}.${process.pid}`;
  const startTime = await processStartTime(process.pid);
  prepare(file, ownFile, { pid: process.pid, startTime });
  try {
    while (!claim(file, ownFile)) await removeStale(file, ownFile);
  } finally {
    rmSync(ownFile, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function prepare(file: string, own: string, holder: Holder): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(own, JSON.stringify(holder));
  } catch (cause) {
    throw new OperatorError(`The data folder ${folder} cannot be written to: check the path and its permissions.`, {
      cause,
    });
  }
}

/** A link is made with its whole content or not at all, and by one process only. */
function claim(file: string, own: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new OperatorError(`The lock ${file} cannot be made: check the folder and its permissions.`, { cause: error });
  }
}

/**
 * Takes away a lock whose holder has ended. Another process may have replaced it since it was read, so the lock is
 * moved first, read again, and put back when it is a new one.
 */
async function removeStale(file: string, own: string): Promise<void> {
  const text = readText(file);
  const holder = holderIn(text);
  if (holder && (await isAlive(holder))) {
    throw new OperatorError(`The service already runs in this folder (process ${holder.pid}): stop it first.`);
  }
  const moved = `${own}.stale`;
  try {
    renameSync(file, moved);
  } catch (error) {
    // Another process was faster; the next attempt meets its lock.
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readText(moved) !== text) claim(file, moved);
  rmSync(moved, { force: true });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function holderIn(text: string): Holder | null {
  const holder = jsonIn(text) as Holder | null | undefined;
  return holder && Number.isInteger(holder.pid) ? holder : null;
}

/** Process ids are reused, so the start time is compared as well. */
async function isAlive({ pid, startTime }: Holder): Promise<boolean> {
  const started = pid === process.pid ? undefined : await processStartTime(pid);
  return started !== undefined && started === startTime;
}
