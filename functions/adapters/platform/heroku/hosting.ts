import type { HostingPlatform } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { activateSnapshot } from './build/activate.ts';
import { pollBuild } from './build/poll-build.ts';
import { uploadSnapshot } from './build/upload-snapshot.ts';
import { ensureApp } from './ensure-app.ts';
import type { HerokuParts } from './parts.ts';
import { release } from './run/release.ts';

/**
 * Returns the platform that runs each application as an app on Heroku. What the service has to know of it is in the
 * platform's table. Temporary failures can be retried; a refusal is thrown with Heroku's own sentence.
 */
export function herokuPlatform(parts: HerokuParts): HostingPlatform {
  return {
    ensureApp: (app, { name }) =>
      onAws('deploy:platform:upload_tarball', `the application ${app.app}`, () =>
        ensureApp(app, typeof name === 'string' ? name : app.app, parts),
      ),
    upload: (snapshot, upload) =>
      onAws('deploy:platform:upload_tarball', `the upload of ${snapshot.snapshot}`, () =>
        uploadSnapshot(snapshot, upload, parts),
      ),
    activate: (snapshot, path) =>
      onAws('deploy:tar:extract_failed', `the build of ${snapshot.snapshot}`, () =>
        activateSnapshot(snapshot, path, parts),
      ),
    poll: (snapshot, waitSeconds = 0) =>
      onAws('deploy:tar:extract_failed', `the build of ${snapshot.snapshot}`, () =>
        pollBuild(snapshot, waitSeconds, parts),
      ),
    start: (snapshot) =>
      onAws('deploy:platform:start_app', `the start of ${snapshot.snapshot}`, () => release(snapshot, parts)),
  };
}
