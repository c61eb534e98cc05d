import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitHint, nodeHint, tokenHint } from '../../../../lib/builder/tools/node-hint.ts';

const TOO_OLD =
  '. Node v20.20.2 may be too old for it; name another one in package.json: "engines": { "node": "26.x" }';

describe('a failure of a Node that does not fit', () => {
  it('of Nuxt on Node 20 says that it may be too old', () => {
    const lines = readFileSync('test/fixtures/builds/nuxt-node-20.txt', 'utf8').split('\n');
    expect(nodeHint(lines, 'v20.20.2')).toBe(TOO_OLD);
  });

  it.each([
    'You are using Node.js 20.20.2. Next.js requires Node.js version ">=22".',
    'Node.js v20.20.2 is not supported by Astro!',
    "SyntaxError: The requested module 'node:util' does not provide an export named 'styleText'",
    'Error: No such built-in module: node:sqlite',
    'node: bad option: --experimental-strip-types',
    'ReferenceError: WebSocket is not defined',
    'TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /app/server.ts',
  ])('%s', (line) => {
    expect(nodeHint(['before', line], 'v20.20.2')).toBe(TOO_OLD);
    expect(nodeHint(['before', line], 'v26.10.0')).toBe('');
  });

  it('is not that of npm, whose version a package asks for', () => {
    const lines = readFileSync('test/fixtures/builds/npm-engine.txt', 'utf8').split('\n');
    expect(nodeHint(lines, 'v20.20.2')).toBe('');
    expect(nodeHint([...lines, 'npm error notsup Required: {"node":">=22"}'], 'v20.20.2')).toBe(TOO_OLD);
  });

  it('says that it is too new for a webpack of its time', () => {
    expect(nodeHint(["  code: 'ERR_OSSL_EVP_UNSUPPORTED'"], 'v26.10.0')).toBe(
      '. Node v26.10.0 is too new for its packages; update them, or name another one in package.json: "engines": { "node": "16.x" }',
    );
  });

  it('takes the version from what Node prints at an end', () => {
    expect(nodeHint(['Error: No such built-in module: node:sqlite', '', 'Node.js v20.20.2'])).toBe(TOO_OLD);
    expect(nodeHint(['Error: No such built-in module: node:sqlite'])).toBe('');
  });

  it('is not seen in an error of the application', () => {
    expect(
      nodeHint(['TypeError: shop.open is not a function', 'ReferenceError: price is not defined'], 'v20.0.0'),
    ).toBe('');
  });
});

it('names the variable that has the commit when a build asks git for it', () => {
  const asked = 'fatal: not a git repository (or any of the parent directories): .git';
  const told = '. What is built is no clone: the id of the commit is in the variable SOURCE_VERSION';
  expect([gitHint(['> build', asked]), gitHint(['fatal: bad revision'])]).toEqual([told, '']);
});

describe('a registry that refuses a package', () => {
  const refused = ['npm error code E401', 'npm error 401 Unauthorized - GET https://npm.example.com/@acme%2fui'];
  const npmrc = `@acme:registry=https://npm.example.com/\n//npm.example.com/:_authToken=\${ACME_TOKEN}\n`;
  const says = '. Its settings name the variable ACME_TOKEN, which is not set: "hooks env set ACME_TOKEN=-"';

  it.each([
    ['npm', npmrc, {}],
    ['npm, with an empty variable', npmrc, { ACME_TOKEN: '' }],
    ['Yarn', `npmScopes:\n  acme:\n    npmAuthToken: "\${ACME_TOKEN}"\n`, {}],
    ['npm, beside another one', `//other.example.com/:_authToken=\${OTHER}\n${npmrc}`, { OTHER: 'x' }],
  ])('says which variable is missing, for %s', (_, settings, variables) => {
    expect(tokenHint(refused, settings, variables)).toBe(says);
  });

  it.each([
    ['a variable that is set', refused, npmrc, { ACME_TOKEN: 'x' }],
    ['a default', refused, `npmAuthToken: "\${ACME_TOKEN:-none}"`, {}],
    ['a comment', refused, `# ${npmrc.split('\n')[1]}`, {}],
    ['another failure', ['npm error code ERESOLVE'], npmrc, {}],
    ['no settings', refused, '', {}],
  ])('and nothing of %s', (_, lines, settings, variables) => {
    expect(tokenHint(lines, settings, variables)).toBe('');
  });
});
