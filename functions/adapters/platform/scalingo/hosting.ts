import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { storeUpload } from '../in-table/stored-upload.ts';
import { archiveKey } from './archives.ts';
import { activateSnapshot } from './build/activate.ts';
import { pollDeployment } from './build/poll-deployment.ts';
import { ensureApp } from './ensure-app.ts';
import type { ScalingoParts } from './parts.ts';
import { release } from './run/release.ts';

/**
 * Returns the platform that runs each application as an app on Scalingo. A build there is started at once, so
 * `activate` deploys, and `start` only makes sure that this deployment serves: README.md explains why, and how order is
 * kept.
 */
export function scalingoPlatform(parts: ScalingoParts): HostingPlatform {
  return {
    ensureApp: (app, { name }) =>
      onAws('deploy:platform:upload_tarball', `the application ${app.app}`, () =>
        ensureApp(app, typeof name === 'string' ? name : app.app, parts),
      ),
    upload: (snapshot, upload) => storeUpload(snapshot, upload, { ...parts, Key: archiveKey(snapshot) }),
    activate: (snapshot, path, order) =>
      onAws('deploy:tar:extract_failed', `the deployment of ${snapshot.snapshot}`, () =>
        activateSnapshot(snapshot, { path, order }, parts),
      ),
    poll: (snapshot, waitSeconds = 0) =>
      onAws('deploy:tar:extract_failed', `the deployment of ${snapshot.snapshot}`, () =>
        pollDeployment(snapshot, waitSeconds, parts),
      ),
    start: (snapshot, order) =>
      onAws('deploy:platform:start_app', `the start of ${snapshot.snapshot}`, () => release(snapshot, order, parts)),
  };
}
