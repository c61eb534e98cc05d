import { defineConfig } from 'vitest/config';
import { projects } from './projects.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/support/watch-parents.ts'],
    reporters: ['default', 'test/support/failed-tests.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    projects: [
      { extends: true, test: { name: 'unit', ...projects.unit } },
      { extends: true, test: { name: 'programs', ...projects.programs } },
      {
        extends: true,
        test: {
          name: 'service',
          ...projects.service,
          globalSetup: ['test/support/service/synthesise.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
