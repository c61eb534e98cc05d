import type { Entry } from '../core/entry/entry.ts';
import type { Preview } from '../core/entry/kinds.ts';
import { appName } from '../core/entry/package-name.ts';
import { otherIds, snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import type { StageWork } from '../core/pipeline/stage-work.ts';
import type { AppVariables } from '../core/ports/applications.ts';
import type { AppRef, HostingPlatform } from '../core/ports/platform.ts';
import type { TarballStore } from '../core/ports/stages.ts';
import { givenVariables } from '../core/preview/variables.ts';

interface UploadPorts {
  readonly platform: Pick<HostingPlatform, 'ensureApp' | 'upload'>;
  readonly tarballs: Pick<TarballStore, 'get'>;
  readonly variables: Pick<AppVariables, 'read' | 'set'>;
}

/**
 * Returns the work of the stage `upload`: it streams the staged tarball from the store to the platform. A tarball that
 * has expired is fetched again; an id that the platform has with other bytes is replaced.
 */
export function upload({ platform, tarballs, variables }: UploadPorts): StageWork {
  return async (entry) => {
    const first = snapshotOf(entry);
    const isPreview = entry.kind === 'preview';
    const parent = entry.pullRequest?.parent;
    const how = { maySleep: isPreview, previewOf: parent && appName(parent) };
    await platform.ensureApp(first, entry.manifest ?? { name: first.app }, how);
    if (isPreview) await giveVariables(entry, first, variables);
    const { tarball } = entry;
    for (const snapshot of [first.snapshot, ...otherIds(first.snapshot)]) {
      // Opened last, because a download that is open and not read keeps its connection.
      const staged = tarball && (await tarballs.get(tarball.key));
      if (!staged) return { kind: 'back', to: 'fetch', detail: 'The staged tarball is gone; it is fetched again.' };
      const bytes = { body: staged.body, bytes: staged.bytes, sha256: tarball.sha256 };
      if ((await platform.upload({ ...first, snapshot }, bytes)) === 'taken') continue;
      return { kind: 'done', detail: `snapshot ${snapshot}`, transition: { changes: { snapshot } } };
    }
    const detail = `The platform has other bytes as ${first.snapshot}, and under all ids that could take its place.`;
    throw new DeployError('deploy:platform:upload_tarball', detail, { retry: false });
  };
}

/**
 * Gives a preview the variables of its parent that are marked for previews, with their values of now, and takes away
 * those that are not any more. Others that it has stay. Throws `deploy:platform:upload_tarball`, retryable.
 */
async function giveVariables(
  { user, pullRequest }: Entry & Preview,
  preview: AppRef,
  variables: UploadPorts['variables'],
): Promise<void> {
  if (pullRequest.parent === undefined) return;
  const parent = { user, app: appName(pullRequest.parent) };
  try {
    const ofParent = (await variables.read(parent)) ?? {};
    await variables.set({ user, app: preview.app }, (own) => givenVariables(ofParent, own));
  } catch (cause) {
    const detail = `The variables of ${parent.app} that are marked for previews could not be given to ${preview.app}.`;
    throw new DeployError('deploy:platform:upload_tarball', detail, { retry: true, cause });
  }
}
