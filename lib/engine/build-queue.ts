import { type Job, keyOf } from '../../functions/core/pipeline/job.ts';
import type { DeployLog } from '../../functions/core/ports/log.ts';
import type { Clock, Trace } from '../../functions/core/ports/system.ts';

interface BuildQueueParts {
  readonly log: Pick<DeployLog, 'move'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly trace: Trace;
}

/** Below it each change is written, above it only half of what was written last: each is a change of the feed. */
const FEW = 5;

/** Returns what writes into the entries of builds that wait, in the order of their turns, how many are before them. */
export function buildQueue({ log, clock, trace }: BuildQueueParts) {
  let written = new Map<string, number>();
  return (builds: readonly Job[], running: number): void => {
    const before = written;
    written = new Map();
    for (const [count, build] of builds.entries()) {
      const last = before.get(keyOf(build));
      const isNews = last === undefined || (count !== last && (count < FEW || count * 2 <= last));
      written.set(keyOf(build), isNews ? count : last);
      if (isNews) write(build, reasonOf(count, running));
    }
  };

  function write({ user, number }: Job, reason: string): void {
    const decide: Parameters<DeployLog['move']>[2] = ({ stage, status, stages }) => {
      const isBuilt = stages.some((one) => one.name === stage && one.status === 'running');
      const waits = stage === 'extract' && status === 'running' && !isBuilt;
      return waits ? { changes: { reason, updatedAt: clock.now() } } : null;
    };
    log
      .move(user, number, decide)
      .catch((error: unknown) => trace('wait of a build not written', { user, number, error }));
  }
}

function reasonOf(before: number, running: number): string {
  const builds = before === 1 ? '1 other build is' : `${before} other builds are`;
  return `Waits for one of the ${running} builds that run to end; ${before === 0 ? 'it is the next one' : `${builds} before it`}.`;
}
