import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesHere } from '../support/temporary-files.ts';

keepTemporaryFilesHere();

/** Faults, kills and load: `npm run test:faults`. Their budget is set by variables; see README.md here. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    globalSetup: [
      'test/support/watch-parents.ts',
      'test/support/temporary-files.ts',
      'test/support/service/synthesise.ts',
    ],
    setupFiles: ['test/faults/setup.ts'],
    include: ['test/faults/*.faults.ts'],
    reporters: ['verbose'],
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  },
});
