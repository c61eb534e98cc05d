import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonIn } from '../../../../../functions/core/output/build-reason.ts';

describe('the reason of a failed command', () => {
  it.each([
    [
      "npm's code and message",
      [
        'npm error code ERESOLVE',
        'npm error ERESOLVE unable to resolve dependency tree',
        'npm error A complete log of this',
      ],
      ': ERESOLVE: ERESOLVE unable to resolve dependency tree',
    ],
    [
      'the error of a script, not what npm says about it',
      [
        '> app@1.0.0 build',
        '> tsc',
        'src/a.ts(1,7): error TS2322: wrong.',
        'npm error Lifecycle script `build` failed with error:',
        'npm error code 2',
      ],
      ': src/a.ts(1,7): error TS2322: wrong',
    ],
    [
      'the line below a heading',
      ['error during build:', 'Could not resolve entry module "x.html".'],
      ': Could not resolve entry module "x.html"',
    ],
    [
      'the error of pnpm',
      [' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'],
      ': ERR_PNPM_OUTDATED_LOCKFILE Cannot install with "frozen-lockfile"',
    ],
    ['the last line, when none speaks of an error', ['checking', 'three problems', ''], ': three problems'],
    ['nothing, when nothing was printed', [], ''],
    ['the text without colours', ['\u001b[31mError: no\u001b[39m'], ': Error: no'],
  ])('is %s', (_what, lines, reason) => {
    expect(reasonIn(lines)).toBe(reason);
  });

  it('is at most 300 characters', () => {
    expect(reasonIn([`Error: ${'x'.repeat(1_000)}`]).length).toBeLessThanOrEqual(302);
  });
});

/** Recorded outputs of real failures, and what a person would point at. */
const recorded: Readonly<Record<string, string>> = {
  docusaurus: '[ERROR] Loading of version failed for version current: The docs plugin found docs sharing the same id',
  'next-syntax': 'Error: Expression expected (./app/layout.tsx:15:21)',
  'nuxt-node-20': '■ Nuxt build error: TypeError: trustedFunctions.difference is not a function',
  'next-fonts': 'Failed to fetch Geist from Google Fonts',
  'node-module-missing': "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/app/config.js' imported from /app/gen.mjs",
  'adonis-env': 'Missing or invalid environment variables: APP_KEY, HOST, SESSION_DRIVER',
  't3-env': 'Missing or invalid environment variables: DATABASE_URL, AUTH_SECRET',
  'npm-engine': 'EBADENGINE: a@1.0.0 requires npm ^99, and this is npm 11.19.1',
  'npm-install-script': 'node_modules/better-sqlite3: prebuild-install warn install getaddrinfo ENOTFOUND github.com',
  'npm-install-script-shell': 'node_modules/sharp: sharp: Installation error: getaddrinfo ENOTFOUND github.com',
  'npm-404':
    "E404: The requested resource 'expres-not-there-7@1.0.0' could not be found or you do not have permission to access it",
  'npm-eresolve': 'ERESOLVE: peer react@"^18.2.0" from react-test-renderer@18.2.0 does not fit react@19.3.1',
  'npm-etarget': 'ETARGET: No matching version found for ms@^99.0.0',
  'npm-git':
    'ssh://git@github.com/acme/secret.git: ssh: Could not resolve hostname github.com: Name or service not known',
  'npm-out-of-sync':
    'EUSAGE: package.json and the lockfile differ: Invalid: lock file\'s ms@2.0.0 does not satisfy ms@2.1.3; Missing: picocolors@1.1.1 from lock file; 1 more. Run "npm install" and commit the lockfile',
  svelte: 'RolldownError: /app/src/routes/+page.svelte:1:79 Expected whitespace',
  'vite-8-missing-file': "[UNRESOLVED_IMPORT] Could not resolve './missing-file' in src/App.tsx (src/App.tsx:1:15)",
  'vite-8-syntax': '[builtin:vite-transform] Unexpected token (src/App.tsx:1:7)',
};
const folder = 'test/fixtures/builds';

describe('the reason of a recorded failure', () => {
  it.each(readdirSync(folder))('%s', (file) => {
    const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n');
    expect(reasonIn(lines)).toBe(`: ${recorded[file.replace('.txt', '')]}`);
  });
});
