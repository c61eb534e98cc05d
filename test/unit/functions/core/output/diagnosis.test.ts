import { describe, expect, it } from 'vitest';
import {
  busyPort,
  lastError,
  printedPort,
  refusedAddress,
  whyItEnded,
} from '../../../../../functions/core/output/diagnosis.ts';
import { missingVariable } from '../../../../../functions/core/output/missing-variable.ts';

const release = '/data/releases/1';
const failed = { code: 1, signal: null };

describe('the reason why a process ended', () => {
  it('the reason is a syntax error with its location, also in a module', () => {
    const lines = [
      `file://${release}/lib/a%20b.js:12`,
      'const x = ;',
      '          ^',
      '',
      "SyntaxError: Unexpected token ';'",
    ];
    expect(whyItEnded(lines, failed, release)).toBe("SyntaxError: Unexpected token ';' (lib/a b.js:12)");
  });

  it("the reason is the first error with the first location in the application's own files", () => {
    const lines = [
      'listening soon',
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
      `    at Pool.query (${release}/node_modules/pg/index.js:9:1)`,
      `    at async main (${release}/server.js:7:3)`,
      `    at async other (${release}/other.js:8:3)`,
    ];
    expect(whyItEnded(lines, failed, release)).toBe('Error: connect ECONNREFUSED 127.0.0.1:5432 (server.js:7)');
  });

  it("the reason includes the code that Node prints after an error's name", () => {
    const lines = ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /a"];
    expect(whyItEnded(lines, failed, release)).toBe(
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /a",
    );
  });

  it('the reason is the error also when a location is no path of a file', () => {
    const lines = ['Error: broken', '    at file:///a%2fb.js:1:2', `    at run (file://${release}/server.js:7:3)`];
    expect(whyItEnded(lines, failed, release)).toBe('Error: broken (server.js:7)');
  });

  it('the last error of an output is the one that ended it, and there may be none', () => {
    const lines = [
      'Error: retrying',
      'up',
      'Error: no memory',
      `    at main (${release}/server.js:7:3)`,
      'Node.js v24.0.0',
    ];
    expect(lastError(lines, release)).toBe('Error: no memory (server.js:7)');
    expect(lastError(['up', 'down'], release)).toBeUndefined();
  });

  it('the reason is the exit code or signal when no error was printed', () => {
    expect(whyItEnded(['bye', ''], failed, release)).toBe(
      'The process exited with code 1 before it answered; its last line was: bye',
    );
    expect(whyItEnded([], { code: null, signal: 'SIGKILL' }, release)).toBe(
      'The process was ended by SIGKILL before it answered, without printing anything.',
    );
  });

  it('the reason is what a logger says of an error, and never a line of a stack', () => {
    const lines = [
      'error: Failed to lift app: Error: No sails.config.x',
      '    at x (/app/node_modules/sails/a.js:1:2)',
    ];
    expect(whyItEnded(lines, failed, release)).toBe('Failed to lift app: Error: No sails.config.x');
    expect(whyItEnded(['done', '    at x (a.js:1:2)', '  at anonymous b.js:3'], failed, release)).toMatch(
      /line was: done$/,
    );
  });

  it('an error whose message is below its first line is told with that', () => {
    const lines = [
      '-*-*-*-',
      'No `sockets.onlyAllowOrigins` was detected.',
      '',
      '    at configure (/app/node_modules/a.js:1:2)',
    ];
    for (const first of ['Error: ', 'Uncaught ConfigError:']) {
      expect(whyItEnded([first, ...lines], failed, release)).toMatch(
        /Error: No `sockets.onlyAllowOrigins` was detected\.$/,
      );
      expect(lastError([first, ...lines], release)).toMatch(/Error: No `sockets.onlyAllowOrigins` was detected\.$/);
    }
    expect(whyItEnded(['error: Failed to lift app: Error: ', ...lines], failed, release)).toBe(
      'Failed to lift app: Error: No `sockets.onlyAllowOrigins` was detected.',
    );
    expect(whyItEnded(['Error: Invalid configuration:', '  - port: not a number'], failed, release)).toBe(
      'Error: Invalid configuration: - port: not a number',
    );
    expect(whyItEnded(['Error: refused:', `    at main (${release}/server.js:7:3)`], failed, release)).toBe(
      'Error: refused: (server.js:7)',
    );
  });

  it.each([
    [
      [
        'EnvValidationException: Validation failed for one or more environment variables',
        '- Missing environment variable "APP_KEY"',
        '- Missing environment variable "HOST"',
      ],
      'APP_KEY, HOST',
    ],
    [
      [
        '❌ Invalid environment variables: [',
        "    path: [ 'DATABASE_URL' ],",
        ']',
        'Error: Invalid environment variables',
      ],
      'DATABASE_URL',
    ],
    [
      ["❌ Invalid environment variables: { DATABASE_URL: [ 'Required' ] }", "  AUTH_SECRET: [ 'Required' ],"],
      'DATABASE_URL, AUTH_SECRET',
    ],
  ])('the reason names all variables that were found missing together', (lines, names) => {
    expect(whyItEnded(lines, failed, release)).toContain(`Missing or invalid environment variables: ${names}`);
    expect(missingVariable(lines)).toBe(names.split(',')[0]);
  });

  it('the port of a refused connection is not that of the application', () => {
    const lines = ['Error: connect ECONNREFUSED 127.0.0.1:6379', 'connecting to redis at 127.0.0.1:6379: ECONNREFUSED'];
    expect(printedPort(lines)).toBeUndefined();
    expect(refusedAddress(lines)).toBe('127.0.0.1:6379');
  });

  it('the reason can be a port that was taken', () => {
    expect(busyPort(['Error: listen EADDRINUSE: address already in use :::3000'])).toBe(3000);
    expect(busyPort(['Error: listen EADDRINUSE: address already in use 127.0.0.1:4123'])).toBe(4123);
    expect(busyPort(['Error: something else'])).toBeUndefined();
  });

  it.each([
    ['Server is running on http://localhost:3000', 3000],
    ['[Nest] 1 - Application is running on: http://127.0.0.1:4000/', 4000],
    ['Example app listening on port 8081!', 8081],
    ['port: 5000', 5000],
    ['exported 3000 lines', undefined],
  ])('%j prints the port %j', (line, port) => {
    expect(printedPort(['before', line, 'after'])).toBe(port);
  });
});
