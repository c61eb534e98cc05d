import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { readState, writeState } from '../files/state-file.ts';
import { endMarked, OWN_MARKS } from './marks.ts';
import type { StartedGroup } from './members.ts';
import { endGroup, groupGone } from './process-group.ts';
import { processStartTime } from './process-info.ts';
import { unwatchGroup, watchGroup } from './watched-groups.ts';

const schema = v.object({
  /** The process that wrote the file, and the beginning of the marks of all that it started. */
  owner: v.object({ pid: v.number(), started: v.string(), marks: v.optional(v.string()) }),
  groups: v.array(
    v.object({
      pgid: v.number(),
      started: v.string(),
      what: v.string(),
      cwd: v.optional(v.string()),
      finishes: v.optional(v.literal(true)),
    }),
  ),
});

type ListedGroup = v.InferOutput<typeof schema>['groups'][number];

const ORPHAN_GRACE_MS = 1_000;
/** For the last work of a group that finishes. */
const FINISH_MS = 3_000;
/** A process may take this long to end after a SIGKILL, on a busy machine. */
const DYING_MS = 1_000;
const DYING_POLL_MS = 20;

export interface RunningGroup extends StartedGroup {
  /** For whom it runs. */
  readonly what: string;
  /** The folder in which it was started. */
  readonly cwd?: string;
  /** The group ends by itself without this process, and loses work when it is told to earlier: it gets some seconds. */
  readonly finishes?: true;
  /** The kernel ends it with this process. */
  readonly diesToo?: boolean;
}

/** The process groups that this process has started and that must not outlive it. */
export interface GroupRegistry {
  /** Registers a group that has just been started. */
  add(group: RunningGroup): void;
  remove(pgid: number): void;
  /** Removes the file; to be called when all groups have ended. */
  close(): Promise<void>;
  /**
   * Watches a group that was added, where there is such a watch: `exceeded` is called, once, with the limit that it
   * exceeded, as the end of a sentence (`used more than 512 MB`). Returns a function that ends the watch.
   */
  readonly watch?: (group: RunningGroup, exceeded: (how: string) => void) => () => void;
}

/**
 * Opens a registry of running groups. Each group is watched by the runner and listed in the file at `path`, from which
 * `killOrphans` at the next start ends what that did not, for instance because it was killed as well.
 */
export async function openGroupRegistry(path: string): Promise<GroupRegistry> {
  const running = new Map<number, Omit<ListedGroup, 'pgid'>>();
  const file = await registryFile(path);
  const save = () => file.save([...running].map(([pgid, group]) => ({ pgid, ...group })));
  return {
    add({ pgid, what, cwd, finishes, diesToo = false }) {
      if (!diesToo) watchGroup(pgid, finishes);
      const group = { what, cwd, finishes };
      running.set(pgid, { started: '', ...group });
      processStartTime(pgid).then((started) => {
        if (started === undefined || !running.has(pgid)) return;
        running.set(pgid, { started, ...group });
        save();
      });
    },
    remove(pgid) {
      unwatchGroup(pgid);
      if (running.delete(pgid)) save();
    },
    close: file.remove,
  };
}

/**
 * Ends the groups that an earlier process left behind and returns what they were. A group is recognised by the start
 * time of its leader, and what has left it, or was not listed yet, by the marks of that process. Rejects when that process still runs,
 * because the groups are in use then.
 */
export async function killOrphans(path: string): Promise<readonly string[]> {
  // Without a readable list there is nothing to go by; that must not prevent the start.
  const left = await readState(path, schema).catch(() => undefined);
  if (!left) return [];
  const { pid, started, marks } = left.owner;
  if (pid !== process.pid && (await outlives(pid, started))) {
    throw new Error(`Another platform (process ${pid}) uses the folder of ${path}; end it, or choose another folder.`);
  }
  const ended = await Promise.all(
    left.groups.map(async (group) => {
      const runs = group.started !== '' && (await processStartTime(group.pgid)) === group.started;
      if (runs && group.finishes) await groupGone(group.pgid, FINISH_MS);
      if (runs) await endGroup(group.pgid, ORPHAN_GRACE_MS);
      return runs ? [group.what] : [];
    }),
  );
  // What has left its group, or was started at the moment of the kill. The marks of this process are in use.
  if (marks && marks !== OWN_MARKS) await endMarked(marks, ORPHAN_GRACE_MS);
  return ended.flat();
}

/**
 * Returns the folders in which the groups of a registry were started that run, also for another process. Groups that have
 * just ended may be in its file still.
 */
export async function foldersInUse(path: string): Promise<readonly string[]> {
  const groups = (await readState(path, schema).catch(() => undefined))?.groups ?? [];
  const runs = await Promise.all(groups.map(async ({ pgid, started }) => (await processStartTime(pgid)) === started));
  return groups.flatMap(({ cwd }, at) => (runs[at] ? (cwd ?? []) : []));
}

/** Whether a process still runs after the moment that one which has just been killed may take to end. */
async function outlives(pid: number, started: string): Promise<boolean> {
  const deadline = performance.now() + DYING_MS;
  while (started !== '' && (await processStartTime(pid)) === started) {
    if (performance.now() > deadline) return true;
    await pause(DYING_POLL_MS);
  }
  return false;
}

/** The file of a registry; writes are queued, and the last one holds the whole list. */
async function registryFile(path: string) {
  const owner = { pid: process.pid, started: (await processStartTime(process.pid)) ?? '', marks: OWN_MARKS };
  await writeState(path, { owner, groups: [] });
  let writing = Promise.resolve();
  return {
    save(groups: readonly ListedGroup[]): void {
      writing = writing.then(() => writeState(path, { owner, groups })).catch(() => undefined);
    },
    async remove(): Promise<void> {
      await writing;
      await rm(path, { force: true });
    },
  };
}
