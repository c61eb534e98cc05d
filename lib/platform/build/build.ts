import type { OwnEnvironment } from '../../builder/process/child-environment.ts';
import type { Tools } from '../../builder/tools/tools.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import type { Limits } from '../settings.ts';
import type { Folders } from '../store/folders.ts';
import type { AppName } from '../store/names.ts';
import type { Snapshot, Snapshots } from '../store/snapshots.ts';
import type { Variables } from '../store/variables.ts';
import type { BuildLog } from './build-log.ts';
import type { Dependencies } from './dependencies.ts';
import type { Unpackers } from './unpackers.ts';

/** Dependencies of making a release. */
export interface ReleaseMaker {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
  readonly snapshots: Snapshots;
  readonly dependencies: Dependencies;
  readonly tools: Tools;
  readonly unpackers: Unpackers;
  readonly limits: Limits;
}

/** One build: what is built, where its output goes, and the signal that cancels it. */
export interface Build {
  readonly app: AppName;
  readonly snapshot: Snapshot;
  readonly variables: Variables;
  readonly log: BuildLog;
  readonly signal: AbortSignal;
}
