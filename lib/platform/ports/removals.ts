import { type AppId, appKey } from '../../runner/calls.ts';

export type Removals = ReturnType<typeof removals>;

/** Ends what goes on about an application when it is removed. */
export function removals() {
  const awaited = new Map<string, AbortController>();
  return {
    /** Returns the signal that is aborted when the application is removed, or gets another name. */
    signalOf: (app: AppId): AbortSignal => {
      const ending = awaited.get(appKey(app)) ?? new AbortController();
      awaited.set(appKey(app), ending);
      return ending.signal;
    },
    removed: (app: AppId) => {
      awaited.get(appKey(app))?.abort();
      awaited.delete(appKey(app));
    },
  };
}
