import { messageOf } from '../http-error.ts';
import type { Limits, Log } from '../settings.ts';
import { freeCaches, type StoredParts } from '../store/caches.ts';

/** Keeps caches below their limit. */
export interface CacheKeeper {
  /** Has them measured soon, once for all calls until then: at the start, and after each build. */
  due(): void;
  close(): void;
}

/** Nothing is measured or removed while something is built: the end of that build is the next occasion. */
export function cacheKeeper(
  parts: StoredParts & { readonly limits: Limits; readonly log: Log },
  isBuilding: () => boolean,
): CacheKeeper {
  const { limits, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const keep = async () => {
    timer = undefined;
    if (isBuilding()) return;
    const freed = await freeCaches(parts, limits.cacheBytes, () => !isBuilding() && !isClosed);
    if (freed > 0) log({ type: 'platform.caches_removed', detail: `${Math.round(freed / 1e6)} MB` });
  };
  return {
    due: () => {
      if (isClosed) return;
      timer ??= setTimeout(
        () => keep().catch((error: unknown) => log({ type: 'platform.error', detail: messageOf(error) })),
        limits.cacheCheckMs,
      ).unref();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
