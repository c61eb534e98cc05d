import type { HostingPlatform } from '../../../core/ports/platform.ts';
import { onAws } from '../../aws/failures.ts';
import { activateSnapshot } from './build/activate.ts';
import { cancelBuild } from './build/cancel-build.ts';
import { pollBuild } from './build/poll-build.ts';
import type { LambdaPlatformParts } from './parts.ts';
import { release } from './run/release.ts';
import { keys } from './table/items.ts';
import { storeUpload } from './table/stored-upload.ts';

/**
 * Returns the platform that runs each application as a separate Lambda function, behind the Lambda Web Adapter, and
 * builds it in CodeBuild. Temporary failures can be retried; a refusal is thrown with AWS's own message.
 */
export function lambdaPlatform(parts: LambdaPlatformParts): HostingPlatform {
  return {
    ensureApp: (app, { name }) =>
      onAws('deploy:platform:upload_tarball', `the application ${app.app}`, async () => {
        await parts.table.write(keys.app(app), { name: typeof name === 'string' ? name : app.app });
      }),
    upload: (snapshot, upload) => storeUpload(snapshot, upload, parts),
    activate: (snapshot, options = {}) => activateSnapshot(snapshot, options, parts),
    poll: (snapshot) => pollBuild(snapshot, parts),
    cancel: (snapshot) => cancelBuild(snapshot, parts),
    // Each start does it.
    prune: () => undefined,
    start: (snapshot) =>
      onAws('deploy:platform:start_app', `the start of ${snapshot.snapshot}`, () => release(snapshot, parts)),
  };
}
