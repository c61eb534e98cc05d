import { setTimeout as pause } from 'node:timers/promises';
import type { KeyedMutex } from '../../../functions/core/concurrency.ts';
import { diskSpace, lowBytes } from '../../files/disk-usage.ts';
import { messageOf } from '../../http/http-error.ts';
import { appKey } from '../../runner/calls.ts';
import type { Limits, Log } from '../settings.ts';
import { freeCaches, freeReleases, type StoredParts } from '../store/caches.ts';

/** In times of the bytes below which a disk is nearly full. */
const ROOM = 2;
/** For a build that has met a full disk, although there was room when it began: half of the disk, or 20 GiB. */
const MORE_ROOM = 10;
const LOOK_MS = 500;

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
  let freeing: Promise<boolean> | undefined;
  let clearing: Promise<boolean> | undefined;
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
  /** Returns whether anything was removed. */
  const free = async (times: number) => {
    const before = await diskSpace(folders.root);
    const isUnused = sinceNow();
    if (isUnused()) await freeCaches(parts, 0, async () => (await isBelow(times)) && isUnused());
    await freeReleases(parts, async (app, work) => {
      if (!isClosed && (await isBelow(times))) await inTurn(appKey(app), work);
    });
    const megabytes = Math.round(((await diskSpace(folders.root)).free - before.free) / 1e6);
    const detail = `The disk was nearly full: ${megabytes} MB of caches and of old releases were removed.`;
    if (megabytes > 0) log({ type: 'platform.disk_freed', detail });
    if (!(await isBelow(times))) freeing = undefined;
    return megabytes > 0;
  };
  const failed = (error: unknown) => log({ type: 'platform.error', detail: messageOf(error) });
  /** Once for all who wait; if that was not enough, not again before a build has ended: there is nothing to remove. */
  const make = async () => {
    if (!(await isBelow(1))) return false;
    freeing ??= free(ROOM);
    return freeing;
  };
  /** Waits for the builds that run, which may use the caches. Those that begin do not wait for it. */
  const clear = async () => {
    const until = performance.now() + limits.installMs;
    const isShort = await isBelow(MORE_ROOM);
    while (isShort && building > 0 && !isClosed && performance.now() < until) await pause(LOOK_MS);
    return isShort && free(MORE_ROOM);
  };
  /** Counts a build from then on. A build that is cancelled does not wait. */
  const beginAfter = async (made: Promise<boolean>, signal: AbortSignal) => {
    const cancelled = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    const result = await Promise.race([made.catch(failed), cancelled]);
    begun += 1;
    building += 1;
    return result === true;
  };
  const end = () => {
    building -= 1;
    areMeasured = false;
    freeing = undefined;
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
    /** Begins a build when there is room, or nothing more to remove. */
    begin: (signal: AbortSignal) => beginAfter(make(), signal),
    /** Begins again a build that has met a full disk. Returns whether anything was removed. */
    beginAgain: (signal: AbortSignal) => {
      end();
      clearing ??= clear().finally(() => {
        clearing = undefined;
      });
      return beginAfter(clearing, signal);
    },
    end,
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
