import { snapshotOf } from '../core/entry/snapshot.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { HostingPlatform } from '../core/ports/hosting-platform.ts';
import type { TarballStore } from '../core/ports/tarball-store.ts';

/** The ports of the stage `start`. */
export interface StartPorts {
  readonly platform: Pick<HostingPlatform, 'start'>;
  readonly facts: Pick<DeployFacts, 'claimApp'>;
  readonly tarballs: Pick<TarballStore, 'remove'>;
}

/**
 * Returns the work of the stage `start`: the platform starts the snapshot, and moves the traffic to it once it answers.
 * The application is claimed first, so that a late deploy never replaces a newer one.
 */
export function start({ platform, facts, tarballs }: StartPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    if (!(await facts.claimApp(entry.user, snapshot.app, entry.order ?? entry.number))) {
      const reason = `A newer deploy of ${snapshot.app} was started before this one.`;
      return { kind: 'ended', status: 'superseded', reason };
    }
    const { url } = await platform.start(snapshot);
    // The platform has its own copy. If the removal fails, the tarball expires later, so it must not fail the deploy.
    if (entry.tarball) await tarballs.remove(entry.tarball.key).catch(() => {});
    return { kind: 'done', detail: `answers at ${url}`, transition: { changes: { url }, activates: true } };
  };
}
