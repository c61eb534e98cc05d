import { totalmem } from 'node:os';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { type MemoryLimits, measuredWhenUsed, memoryWatch, mostSpecific } from '../../runner/limits/memory-watch.ts';
import { boundedGroups, type ProcessLimits, processLimitOf } from '../../runner/limits/process-watch.ts';
import type { Limits } from '../settings.ts';

interface BuildLimits {
  readonly memoryLimits: MemoryLimits;
  readonly processLimits: ProcessLimits;
  readonly limits: Pick<Limits, 'processCheckMs' | 'memoryCheckMs' | 'buildMemoryMb'>;
}

const BYTES_PER_MB = 1024 * 1024;
/** A build that is not limited must leave some of the machine to the service and to applications. */
const MOST_OF_MACHINE = 0.75;

/**
 * Returns how much memory a step of a build may use, in MB: as much as its application, but no less than `leastMb`, and most of
 * the machine when the application has no limit.
 *
 * @param what what the step runs for: `<user>/<app>`, and perhaps more after a space
 */
export function buildMemoryOf(limits: MemoryLimits, what: string, leastMb: number, machineMb = memoryOfMachine()) {
  const [app = ''] = what.split(' ');
  const most = Math.floor(machineMb * MOST_OF_MACHINE);
  const ofApp = mostSpecific(limits, app);
  return ofApp === undefined ? most : Math.max(ofApp, Math.min(leastMb, most));
}

/** Returns the registry whose groups are killed when they have too many processes, or use too much memory. */
export function boundedBuilds(groups: GroupRegistry, { memoryLimits, processLimits, limits }: BuildLimits) {
  const { watch } = boundedGroups(groups, {
    limitOf: (what) => processLimitOf(processLimits, what),
    checkMs: limits.processCheckMs,
  });
  const memory = memoryWatch(limits.memoryCheckMs, measuredWhenUsed());
  const bounded: GroupRegistry = {
    ...groups,
    watch: (group, exceeded) => {
      const limitMb = buildMemoryOf(memoryLimits, group.what, limits.buildMemoryMb);
      const ends = [
        watch?.(group, (how) => exceeded(`${how}, ${limitIn('processLimits')}`)),
        memory.watch({ ...group, limitMb }, () =>
          exceeded(`used more than ${limitMb} MB of memory, ${limitIn('memoryLimits')}`),
        ),
      ];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
  return bounded;
}

function limitIn(setting: string): string {
  return `the limit of a build ("${setting}" in config.json)`;
}

/** That of a container or of a unit of systemd, where it has less than the machine. */
function memoryOfMachine(): number {
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), limit) / BYTES_PER_MB;
}
