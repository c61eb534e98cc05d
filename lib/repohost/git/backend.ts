import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../../../functions/adapters/system/within.ts';
import { killOrphans, openGroupRegistry } from '../../process/group-registry.ts';
import { endGroup } from '../../process/process-group.ts';
import type { Git } from './git.ts';

/** `git http-backend` in a process group: it starts the git that does the work, and that starts hooks. */
interface BackendGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the whole group has ended. */
  readonly ended: Promise<void>;
  end(): void;
}

/** The processes that serve clones and pushes. None outlives this process, nor the next start. */
export interface GitBackend {
  start(environment: Readonly<Record<string, string>>): BackendGroup;
  /** Resolves when none runs any more. They have lost their clients, and get a moment to end by themselves. */
  close(): Promise<void>;
}

/** Git removes its locks at a SIGTERM. */
const GRACE_MS = 1_000;
/** For the hook of a push, which reports what git has taken. */
const LAST_WORK_MS = 3_000;

/** Ends the processes that an earlier host has left; `file` lists those that run. */
export async function gitBackend(git: Git, file: string): Promise<GitBackend> {
  await killOrphans(file);
  const groups = await openGroupRegistry(file);
  const running = new Set<BackendGroup>();
  return {
    start(environment) {
      const child = git.start(['http-backend'], environment, { asGroup: true });
      const { pid } = child;
      if (pid === undefined) return { child, ended: once(child, 'close').then(nothing, nothing), end: nothing };
      // Its input ends with this process, and what git has taken by then must reach the hook.
      groups.add({ pgid: pid, what: 'git http-backend', finishes: true });
      const ended = once(child, 'exit').then(async () => {
        running.delete(group);
        await endGroup(pid, GRACE_MS);
        groups.remove(pid);
      });
      // Its number may be another group's when it has ended.
      const end = () => void (running.has(group) && endGroup(pid, GRACE_MS));
      const group = { child, ended, end };
      running.add(group);
      return group;
    },
    async close() {
      const late = () => new Error('It has not ended by itself.');
      await Promise.all([...running].map(({ ended, end }) => within(LAST_WORK_MS, () => ended, late).catch(end)));
      await Promise.all([...running].map(({ ended }) => ended));
      await groups.close();
    },
  };
}

function nothing(): void {}
