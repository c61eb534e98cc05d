import { type AppId, appKey } from '../../runner/calls.ts';

/** Ends what goes on about an application when it is removed. */
export interface Removals {
  /** Returns the signal that is aborted when the application is removed, or gets another name. */
  signalOf(app: AppId): AbortSignal;
  removed(app: AppId): void;
}

export function removals(): Removals {
  const awaited = new Map<string, AbortController>();
  return {
    signalOf: (app) => {
      const ending = awaited.get(appKey(app)) ?? new AbortController();
      awaited.set(appKey(app), ending);
      return ending.signal;
    },
    removed: (app) => {
      awaited.get(appKey(app))?.abort();
      awaited.delete(appKey(app));
    },
  };
}
