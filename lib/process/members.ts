import { execFile } from 'node:child_process';
import { statfsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { markOf } from './marks.ts';
import { allProcesses, hasEnded, procText, START, startTicks, statFields } from './process-info.ts';

/** A process group that was started here. */
export interface StartedGroup {
  readonly pgid: number;
  /** The value of `PROCESS_MARK` of its processes, which are in no sandbox. */
  readonly mark?: string | undefined;
}

export interface Member {
  readonly pid: number;
  /** The group that it was started in, and may have left. */
  readonly pgid: number;
}

/**
 * Returns the running processes of groups. One that has left its group has its mark, or a parent that belongs to it: in a
 * sandbox its first process is the parent of all that have lost theirs. Without /proc: those that are in the groups.
 */
export async function membersOf(groups: readonly StartedGroup[]): Promise<readonly Member[]> {
  if (groups.length === 0) return [];
  return process.platform === 'linux' ? fromProc(groups) : fromPs(groups);
}

function fromProc(groups: readonly StartedGroup[]): readonly Member[] {
  const leaders = new Set(groups.map(({ pgid }) => pgid));
  const byMark = new Map(groups.flatMap(({ pgid, mark }) => (mark === undefined ? [] : [[mark, pgid] as const])));
  const startOfThis = startTicks(process.pid) ?? 0;
  const leaderByPid = new Map<number, number | undefined>();
  const leaderOf = (pid: number): number | undefined => {
    if (leaderByPid.has(pid)) return leaderByPid.get(pid);
    // A number may be used again while they are read: without it a circle of parents would have no end.
    leaderByPid.set(pid, undefined);
    const fields = statFields(procText(`${pid}/stat`));
    const [state, parent, group] = fields;
    // Skip zombies: they use nothing any more.
    if (hasEnded(state)) return undefined;
    // Only what is younger than this process was started by it.
    const startedHere = () => Number(fields[START]) >= startOfThis;
    const leader = leaders.has(Number(group))
      ? Number(group)
      : startedHere()
        ? (leaderOf(Number(parent)) ?? byMark.get(markOf(pid)))
        : undefined;
    leaderByPid.set(pid, leader);
    return leader;
  };
  return (allProcesses() ?? []).flatMap((pid) => {
    const pgid = leaderOf(pid);
    return pgid === undefined ? [] : [{ pid, pgid }];
  });
}

async function fromPs(groups: readonly StartedGroup[]): Promise<readonly Member[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return all.flatMap(([pid = 0, pgid = 0]) => (groups.some((group) => group.pgid === pgid) ? [{ pid, pgid }] : []));
}

const BYTES_PER_KB = 1024;

/** Returns the resident memory of processes in bytes, each with its group; that of one of a sandbox with its shared memory. */
export async function memoryOf(members: readonly Member[]): Promise<readonly (Member & { readonly bytes: number })[]> {
  if (members.length === 0) return [];
  const kilobytes = process.platform === 'linux' ? residentFromProc : await residentFromPs(members);
  const shared = sharedMemoryOf(members);
  return members.map((member) => ({
    ...member,
    bytes: kilobytes(member.pid) * BYTES_PER_KB + (shared.get(member.pid) ?? 0),
  }));
}

/**
 * Returns the bytes that are stored in the `/dev/shm` of sandboxes, each for the first of its processes: they are memory that is
 * resident in none. That of this machine itself belongs to nobody here.
 */
function sharedMemoryOf(members: readonly Member[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const ofMachine = deviceOf(SHARED_MEMORY);
  const known = new Set<number>();
  for (const { pid, pgid } of members) {
    if (known.has(pgid)) continue;
    const folder = `/proc/${pid}/root${SHARED_MEMORY}`;
    const device = deviceOf(folder);
    if (device === undefined || device === ofMachine) continue;
    known.add(pgid);
    found.set(pid, bytesIn(folder));
  }
  return found;
}

const SHARED_MEMORY = '/dev/shm';

/** Undefined for a process that has ended, or is another user's. */
function deviceOf(folder: string): number | undefined {
  try {
    return statSync(folder).dev;
  } catch {
    return undefined;
  }
}

function bytesIn(folder: string): number {
  try {
    const { bsize, blocks, bfree } = statfsSync(folder);
    return bsize * (blocks - bfree);
  } catch {
    return 0;
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function residentFromProc(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(procText(`${pid}/status`))?.[1] ?? 0);
}

async function residentFromPs(members: readonly Member[]): Promise<(pid: number) => number> {
  const pids = members.map(({ pid }) => pid).join(',');
  // Ends with 1 when one of them has ended.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,rss=', '-p', pids]).catch(() => ({ stdout: '' }));
  const all = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
  );
  return (pid) => all.get(pid) ?? 0;
}
