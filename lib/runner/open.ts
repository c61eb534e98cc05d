import { mkdir } from 'node:fs/promises';
import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { type DiskReserve, NO_RESERVE } from '../files/disk-reserve.ts';
import { killOrphans, openGroupRegistry } from '../process/group-registry.ts';
import type { Predecessor } from './door/app-port.ts';
import { endLeftGroups, groupsFile } from './program/groups-files.ts';
import { type Runners, runners } from './runners.ts';
import { RUNNER_LIMITS, type RunnerLimits } from './settings.ts';

interface OpenOptions {
  /** Folder of the list of process groups. */
  readonly folder: string;
  readonly limits?: Partial<RunnerLimits>;
  /** Source of PATH and HOME for applications. */
  readonly own: OwnEnvironment;
  /** Room on a full disk for its start; absent: none. */
  readonly reserve?: Pick<DiskReserve, 'use'> | undefined;
  /** The runner from which it takes the applications over, one after the other. */
  readonly predecessor?: Predecessor | undefined;
}

/** Opens a runner in this process. What an earlier one has left behind is ended first. */
export async function openRunner({
  folder,
  limits,
  own,
  reserve = NO_RESERVE,
  predecessor,
}: OpenOptions): Promise<Runners> {
  const path = groupsFile(folder, predecessor && process.pid);
  await mkdir(folder, { recursive: true });
  await killOrphans(path);
  if (predecessor) void predecessor.gone.then(() => endLeftGroups(folder, path));
  else await endLeftGroups(folder);
  const groups = await reserve.use(() => openGroupRegistry(path));
  const running = runners({ limits: { ...RUNNER_LIMITS, ...limits }, own, groups, predecessor });
  return { ...running, close: () => running.close().finally(groups.close) };
}
