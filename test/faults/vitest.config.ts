import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesHere } from '../support/temporary-files.ts';

keepTemporaryFilesHere();

/** Faults and kills: `npm run test:faults`. Their budget is set by variables; see README.md here. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/support/watch-parents.ts', 'test/support/temporary-files.ts'],
    reporters: ['verbose', 'test/support/failed-tests.ts'],
    testTimeout: 60 * 60_000,
    hookTimeout: 120_000,
    experimental: { fsModuleCache: true },
    pool: 'forks',
    maxWorkers: 2,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    projects: [
      { extends: true, test: { name: 'engine', include: ['test/faults/*.faults.ts'] } },
      // The functions on emulated services, with their own AWS clients.
      {
        extends: true,
        test: { name: 'aws', include: ['test/aws/faults/*.faults.ts'], setupFiles: ['test/aws/faults/setup.ts'] },
      },
    ],
  },
});
