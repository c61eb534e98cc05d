import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { type DiskReserve, NO_RESERVE } from '../files/disk-reserve.ts';
import { killOrphans, openGroupRegistry } from '../process/group-registry.ts';
import { type Runners, runners } from './runners.ts';
import { GROUPS_FILE, RUNNER_LIMITS, type RunnerLimits } from './settings.ts';

interface RunnerOptions {
  /** Folder of the list of process groups. */
  readonly folder: string;
  readonly limits?: Partial<RunnerLimits>;
  /** Source of PATH and HOME for applications. */
  readonly own: OwnEnvironment;
  /** Room on a full disk for its start; absent: none. */
  readonly reserve?: Pick<DiskReserve, 'use'> | undefined;
}

/** Opens a runner in this process. What an earlier one has left behind is ended first. */
export async function openRunner({ folder, limits, own, reserve = NO_RESERVE }: RunnerOptions): Promise<Runners> {
  const path = join(folder, GROUPS_FILE);
  await mkdir(folder, { recursive: true });
  await killOrphans(path);
  const groups = await reserve.use(() => openGroupRegistry(path));
  const running = runners({ limits: { ...RUNNER_LIMITS, ...limits }, own, groups });
  return { ...running, close: () => running.close().finally(groups.close) };
}
