import type { BuildOutput } from '../../../core/ports/platform.ts';
import type { PlatformCallOptions } from './call.ts';
import { outputReader } from './output-lines.ts';

/** Returns the output of builds behind the platform API, read in the service's own name. */
export function httpBuildOutput(options: PlatformCallOptions): BuildOutput {
  const read = outputReader(options);
  return {
    read: ({ user, app, snapshot }, follow, signal) => {
      const path = ['apps', user, app, 'snapshots', snapshot, 'log'];
      const what = `the build log of ${snapshot}`;
      return read({ user, path, ...(follow && { query: { follow: 'true' } }), what }, signal);
    },
  };
}
