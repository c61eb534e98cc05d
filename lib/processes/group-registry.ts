import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { endGroup } from './process-group.ts';
import { processStartTime } from './start-time.ts';
import { readState, writeState } from './state-file.ts';

const schema = v.object({
  /** The platform that wrote this. */
  owner: v.object({ pid: v.number(), started: v.string() }),
  groups: v.array(v.object({ pgid: v.number(), started: v.string(), what: v.string() })),
});

/** The process groups that this platform has started and that must not outlive it. */
export interface GroupRegistry {
  /** Notes a group that has just been started; `what` says for whom. */
  add(pgid: number, what: string): void;
  /** Forgets a group that is gone. */
  remove(pgid: number): void;
  /** Ends the watchdog; call it when all groups are gone. */
  close(): Promise<void>;
}

/**
 * Keeps two records of the running groups: a watchdog process that ends them within a second when this process dies
 * (even by SIGKILL), and a file from which the next start ends what the watchdog did not, for instance after it was killed
 * as well.
 */
export async function openGroupRegistry(path: string): Promise<GroupRegistry> {
  const running = new Map<number, { readonly started: string; readonly what: string }>();
  let watchdog: ChildProcess | undefined;
  let closed = false;
  const owner = { pid: process.pid, started: (await processStartTime(process.pid)) ?? '' };
  let writing = writeState(path, { owner, groups: [] });
  await writing;

  const save = () => {
    // Writes queue up in their order; the last one always holds everything.
    writing = writing
      .then(() => {
        const list = [...running].map(([pgid, group]) => ({ pgid, ...group }));
        return writeState(path, { owner, groups: list });
      })
      .catch(() => undefined);
  };
  const tell = (line: string) => {
    if (watchdog?.stdin?.writable) watchdog.stdin.write(`${line}\n`);
  };
  const watch = () => {
    if (closed) return;
    watchdog = startWatchdog();
    for (const pgid of running.keys()) tell(`+${pgid}`);
    watchdog.once('exit', () => setTimeout(watch, 1_000).unref());
  };
  watch();

  return {
    add(pgid, what) {
      tell(`+${pgid}`);
      running.set(pgid, { started: '', what });
      processStartTime(pgid).then((started) => {
        if (started === undefined || !running.has(pgid)) return;
        running.set(pgid, { started, what });
        save();
      });
    },
    remove(pgid) {
      tell(`-${pgid}`);
      if (running.delete(pgid)) save();
    },
    async close() {
      closed = true;
      const gone = new Promise((resolve) => watchdog?.once('exit', resolve) ?? resolve(undefined));
      watchdog?.stdin?.end();
      await Promise.all([gone, writing]);
      // Nothing runs any more, so nobody needs the list, and the folder is free for another platform.
      await rm(path, { force: true });
    },
  };
}

/**
 * Ends the groups that an earlier platform left behind, told by their leader's start time, and gives what they were.
 * Rejects when that platform still runs: the groups are its applications.
 */
export async function killOrphans(path: string): Promise<readonly string[]> {
  // A damaged list only means that there is nothing to go by; it must not keep the platform from starting.
  const left = await readState(path, schema).catch(() => undefined);
  if (!left) return [];
  const { pid, started } = left.owner;
  if (pid !== process.pid && started !== '' && (await processStartTime(pid)) === started) {
    throw new Error(`Another platform (process ${pid}) uses the folder of ${path}; end it, or choose another folder.`);
  }
  const ended = await Promise.all(
    left.groups.map(async (group) => {
      if (group.started === '' || (await processStartTime(group.pgid)) !== group.started) return [];
      await endGroup(group.pgid, 1_000);
      return [group.what];
    }),
  );
  return ended.flat();
}

function startWatchdog(): ChildProcess {
  // A session of its own: what kills the platform's process group must not reach it.
  const child = spawn(process.execPath, [fileURLToPath(new URL('./group-watchdog.mjs', import.meta.url))], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  return child;
}
