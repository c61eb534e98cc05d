import { withoutValues } from '../../../functions/core/output/without-values.ts';
import type { passwordCheck } from '../../../functions/core/users/passwords.ts';
import type { OwnEnvironment } from '../../builder/process/child-environment.ts';
import type { Connections } from '../../http/connections.ts';
import { HttpError } from '../../http/http-error.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { placeOf, withPaths } from '../../process/sandbox.ts';
import { type AppSpec, appKey, type ReleaseSpec, type Report } from '../calls.ts';
import type { Predecessor } from '../door/app-port.ts';
import type { MemoryWatch } from '../limits/memory-watch.ts';
import type { AppLog } from '../logs/app-log.ts';
import type { ProcessContext } from '../processes/app-process.ts';
import type { RunnerLimits } from '../settings.ts';
import type { StartTurns } from './turns.ts';

interface ReleaseParts {
  readonly own: OwnEnvironment;
  readonly groups: GroupRegistry;
  readonly limits: RunnerLimits;
  readonly memory: MemoryWatch;
}

export interface RunnerParts extends ReleaseParts {
  readonly report: Report;
  readonly turns: StartTurns;
  /** Checks the passwords of all applications. */
  readonly isPassword: ReturnType<typeof passwordCheck>;
  /** Those to the front door and to the ports of all applications. */
  readonly connections: Connections;
  readonly predecessor: Predecessor | undefined;
}

/** A built snapshot, and all that its processes need. */
export interface Release extends ProcessContext, Pick<ReleaseSpec, 'snapshot' | 'types' | 'cron' | 'health'> {
  /** The name under which it is asked whether it answers. */
  readonly host: string;
  readonly log: AppLog;
  readonly limits: RunnerLimits;
}

/** Returns a release with the current description of its application. */
export function releaseOf(
  { own, groups, limits, memory }: ReleaseParts,
  app: AppSpec,
  { snapshot, manifest, types, cron, health, ...release }: ReleaseSpec,
  log: AppLog,
): Release {
  const { dataDir, variables, caches, memoryMb, isolation, hosts } = app;
  return {
    own,
    groups,
    limits,
    memory,
    log,
    what: appKey(app),
    host: hosts[0],
    snapshot,
    manifest,
    types,
    cron,
    health,
    release,
    dataDir,
    variables,
    caches,
    memoryMb,
    isolation,
  };
}

/** Why a release does not start, in one sentence, and what it has printed. */
export interface FailedStart {
  readonly failure: string;
  readonly lines: readonly string[];
}

/** The error of a release that does not start, with paths as its author knows them and without values of variables. */
export function failedStart({ release, variables }: Release, { failure, lines }: FailedStart): HttpError {
  const { root } = release;
  const shown = [failure, ...lines].map((line) => withPaths(line, placeOf(root), root).replaceAll(`${root}/`, ''));
  const [sentence = '', ...tail] = withoutValues(shown, variables);
  return new HttpError(500, sentence, tail);
}
