import { defineConfig } from 'vitest/config';

const service = 'test/local/**/*.test.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/watch-parents.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    projects: [
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: [service] } },
      {
        extends: true,
        test: {
          name: 'service',
          include: [service],
          globalSetup: ['test/local/synthesise.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
