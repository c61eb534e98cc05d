import type { Entry } from '../../functions/core/entry/entry.ts';
import type { DeployFacts } from '../../functions/core/ports/facts.ts';
import type { DeployLog } from '../../functions/core/ports/log.ts';
import type { DiskReserve } from '../files/disk-reserve.ts';
import { isFull } from '../files/errors.ts';

type Reserve = Pick<DiskReserve, 'use'>;

/**
 * Returns the log whose writes for stops and removals use the reserve of the disk: they are what makes room. All other
 * writes fail on a full disk.
 */
export function reservedLog(log: DeployLog, reserve: Reserve): DeployLog {
  const ofEntry = async <T>(user: string, number: number, write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } catch (error) {
      if (!isFull(error) || !makesRoom(await log.read(user, number))) throw error;
      return reserve.use(write);
    }
  };
  return {
    ...log,
    append: (request) => (makesRoom(request.draft) ? reserve.use(() => log.append(request)) : log.append(request)),
    claim: (claim, announce) => ofEntry(claim.user, claim.number, () => log.claim(claim, announce)),
    move: (user, number, decide) => ofEntry(user, number, () => log.move(user, number, decide)),
  };
}

/** Returns the facts whose claim of an application, at its start, stop or removal, uses the reserve. */
export function reservedFacts(facts: DeployFacts, reserve: Reserve): DeployFacts {
  return { ...facts, claimApp: (user, app, order) => reserve.use(() => facts.claimApp(user, app, order)) };
}

function makesRoom(entry: Pick<Entry, 'operation'> | null): boolean {
  return entry?.operation === 'stop' || entry?.operation === 'remove';
}
