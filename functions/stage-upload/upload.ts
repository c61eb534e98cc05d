import { snapshotOf } from '../core/entry/snapshot.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import type { HostingPlatform } from '../core/ports/hosting-platform.ts';
import type { TarballStore } from '../core/ports/tarball-store.ts';

/** What uploading works with. */
export interface UploadPorts {
  readonly platform: Pick<HostingPlatform, 'ensureApp' | 'upload'>;
  readonly tarballs: Pick<TarballStore, 'get'>;
}

/** The staged tarball, from the store to the platform, streamed. One that has expired meanwhile is fetched again. */
export function upload({ platform, tarballs }: UploadPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    await platform.ensureApp(snapshot, entry.manifest ?? { name: snapshot.app });
    const { tarball } = entry;
    // Opened last: an open download that nobody reads holds its connection.
    const staged = tarball && (await tarballs.get(tarball.key));
    if (!staged) return { kind: 'back', to: 'fetch', detail: 'The staged tarball is gone; it is fetched again.' };
    await platform.upload(snapshot, { body: staged.body, bytes: staged.bytes, sha256: tarball.sha256 });
    return { kind: 'done', detail: `snapshot ${snapshot.snapshot}` };
  };
}
