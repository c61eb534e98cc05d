import type { AppOutput } from '../../../core/ports/applications.ts';
import type { PlatformCallOptions } from './call.ts';
import { outputReader } from './output-lines.ts';

/** Returns the output of applications behind the platform API, read in the service's own name. */
export function httpAppOutput(options: PlatformCallOptions): AppOutput {
  const read = outputReader(options);
  return {
    read: ({ user, app }, { lines, follow }, signal) => {
      const query = { lines: String(lines), ...(follow && { follow: 'true' }) };
      return read({ user, path: ['apps', user, app, 'logs'], query, what: `the output of ${app}` }, signal);
    },
  };
}
