import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesHere } from '../temporary-files.ts';

keepTemporaryFilesHere();

/** Real starters with packages from the registry: `npm run test:starters`. They are not part of `npm test`. */
export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/support/watch-parents.ts', 'test/support/temporary-files.ts'],
    include: ['test/support/starters/*.starter.ts'],
    reporters: ['verbose', 'test/support/failed-tests.ts'],
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    experimental: { fsModuleCache: true },
    pool: 'forks',
    maxWorkers: 1,
  },
});
