import { snapshotOf } from '../core/entry/snapshot.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import type { HostingPlatform } from '../core/ports/hosting-platform.ts';
import type { TarballStore } from '../core/ports/tarball-store.ts';

/** The ports of the stage `upload`. */
export interface UploadPorts {
  readonly platform: Pick<HostingPlatform, 'ensureApp' | 'upload'>;
  readonly tarballs: Pick<TarballStore, 'get'>;
}

/**
 * Returns the work of the stage `upload`: it streams the staged tarball from the store to the platform. A tarball that
 * has expired is fetched again.
 */
export function upload({ platform, tarballs }: UploadPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    await platform.ensureApp(snapshot, entry.manifest ?? { name: snapshot.app });
    const { tarball } = entry;
    // Opened last, because a download that is open and not read keeps its connection.
    const staged = tarball && (await tarballs.get(tarball.key));
    if (!staged) return { kind: 'back', to: 'fetch', detail: 'The staged tarball is gone; it is fetched again.' };
    await platform.upload(snapshot, { body: staged.body, bytes: staged.bytes, sha256: tarball.sha256 });
    return { kind: 'done', detail: `snapshot ${snapshot.snapshot}` };
  };
}
