import { defineConfig } from 'vitest/config';

/** What only a real account can show: `npm run test:sandbox` after `npm run deploy`. It is not part of `npm test`. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/sandbox/*.sandbox.ts'],
    reporters: ['verbose'],
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
