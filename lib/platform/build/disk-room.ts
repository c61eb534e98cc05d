import type { KeyedMutex } from '../../../functions/core/concurrency.ts';
import { diskSpace, lowBytes } from '../../files/disk-usage.ts';
import { messageOf } from '../../http/http-error.ts';
import { appKey } from '../../runner/calls.ts';
import type { Limits, Log } from '../settings.ts';
import { freeCaches, freeReleases, type StoredParts } from '../store/caches.ts';

interface RoomParts extends StoredParts {
  readonly limits: Limits;
  readonly log: Log;
  /** The lock of each application, under which its releases are removed. */
  readonly inTurn: KeyedMutex;
}

/**
 * Keeps caches below their limit, and on a nearly full disk removes what can be made again: caches, while nothing is built,
 * and releases. Looks for it again and again, because hooks are refused on a full disk, and no build begins.
 */
export function diskRoom(parts: RoomParts) {
  const { limits, log, folders, inTurn } = parts;
  let begun = 0;
  let building = 0;
  let isClosed = false;
  let areMeasured = false;
  let freeing: Promise<void> | undefined;
  /** Returns whether nothing was built since, whose caches may be in use or have become needed by a release. */
  const sinceNow = () => {
    const isIdle = building === 0;
    const before = begun;
    return () => isIdle && begun === before && !isClosed;
  };
  const isBelow = async (times: number) => {
    const { total, free } = await diskSpace(folders.root);
    return free < times * lowBytes(total);
  };
  const free = async () => {
    const before = await diskSpace(folders.root);
    const isUnused = sinceNow();
    // Twice as much: the next build must not find it low again.
    if (isUnused()) await freeCaches(parts, 0, async () => (await isBelow(2)) && isUnused());
    await freeReleases(parts, async (app, work) => {
      if (!isClosed && (await isBelow(2))) await inTurn(appKey(app), work);
    });
    const megabytes = Math.round(((await diskSpace(folders.root)).free - before.free) / 1e6);
    const detail = `The disk was nearly full: ${megabytes} MB of caches and of old releases were removed.`;
    if (megabytes > 0) log({ type: 'platform.disk_freed', detail });
    if (!(await isBelow(2))) freeing = undefined;
  };
  const failed = (error: unknown) => log({ type: 'platform.error', detail: messageOf(error) });
  /** Once for all who wait; if that was not enough, not again before a build has ended: there is nothing to remove. */
  const make = async () => {
    if (!(await isBelow(1))) return;
    freeing ??= free();
    await freeing;
  };
  const keepLimit = async () => {
    const isUnused = sinceNow();
    if (areMeasured || !isUnused()) return;
    areMeasured = true;
    const freed = await freeCaches(parts, limits.cacheBytes, isUnused);
    if (freed > 0) log({ type: 'platform.caches_removed', detail: `${Math.round(freed / 1e6)} MB` });
  };
  const timer = setInterval(() => make().then(keepLimit).catch(failed), limits.cacheCheckMs).unref();
  return {
    /** Begins a build when there is room, or nothing more to remove. A build that is cancelled does not wait. */
    begin: async (signal: AbortSignal) => {
      const cancelled = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await Promise.race([make().catch(failed), cancelled]);
      begun += 1;
      building += 1;
    },
    end: () => {
      building -= 1;
      areMeasured = false;
      freeing = undefined;
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
