import { describe, expect, it } from 'vitest';
import { missingVariable } from '../../../../../functions/core/output/missing-variable.ts';

describe('the variable that an application misses', () => {
  it.each([
    ['Error: DATABASE_URL is not set', 'DATABASE_URL'],
    ['Error: Missing required environment variable: STRIPE_SECRET_KEY', 'STRIPE_SECRET_KEY'],
    ['throw new Error("SESSION_SECRET must be set")', 'SESSION_SECRET'],
    ['AssertionError: process.env.MONGO_URI is undefined', 'MONGO_URI'],
    ['error: Environment variable not found: DATABASE_URL.', 'DATABASE_URL'],
    ["  DATABASE_URL: [ 'Required' ],", 'DATABASE_URL'],
    ['The `AUTH_SECRET` environment variable is required', 'AUTH_SECRET'],
    ['Missing "API_KEY"', 'API_KEY'],
  ])('is named by %j', (line, name) => {
    expect(missingVariable(['starting', line, '    at server.js:1'])).toBe(name);
  });

  it.each([
    'Error: listen EADDRINUSE',
    'code: ERR_MODULE_NOT_FOUND',
    "Cannot read properties of undefined (reading 'A_B')",
    'TypeError: JSON is undefined',
    'LOG_LEVEL=debug',
    'module not found: ./SOME_FILE.js',
    'npm error code ERR_REQUIRED',
    'Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).',
  ])('is none in %j', (line) => {
    expect(missingVariable([line])).toBeNull();
  });
});
