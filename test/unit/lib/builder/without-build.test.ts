import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withoutBuild } from '../../../../lib/builder/without-build.ts';
import { newFolder } from '../../../support/new-folder.ts';

type Files = Readonly<Record<string, string>>;

const manifest = (fields: object) => ({ 'package.json': JSON.stringify({ name: 'shop', ...fields }) });
const server = { 'server.js': '' };
const dependencies = { express: '5' };

async function found(files: Files, how: Partial<Parameters<typeof withoutBuild>[0]> = {}) {
  const root = newFolder('without-build');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return withoutBuild({ root, path: '', settings: {}, hasVariables: false, ...how });
}

describe('An application of which nothing is installed and nothing built', () => {
  it.each<[string, Files, object, Parameters<typeof found>[1]?]>([
    ['a server', { ...manifest({}), ...server }, { start: 'node server.js' }],
    ['with a start script', { ...manifest({ scripts: { start: 'node a.js --x' } }) }, { start: 'node a.js --x' }],
    ['a site', { ...manifest({}), 'public/index.html': '' }, { output: 'public' }],
    [
      'in a folder',
      { 'package.json': '{}', 'web/package.json': '{}', 'web/index.js': '' },
      { start: 'node index.js' },
      { path: 'web' },
    ],
    [
      'whose modules are committed',
      { ...manifest({ dependencies }), ...server },
      { start: 'node server.js' },
      { settings: { install: '' } },
    ],
    [
      'whose build is replaced by none',
      { ...manifest({ scripts: { build: 'exit 1' } }), ...server },
      { start: 'node server.js' },
      { settings: { build: '' } },
    ],
    [
      'with development dependencies that nothing uses',
      { ...manifest({ devDependencies: dependencies }), ...server },
      { start: 'node server.js' },
    ],
  ])('%s is not built', async (_what, files, started, how) => {
    expect(await found(files, how)).toEqual({ found: { install: '', build: '', ...started }, cron: [], notes: [] });
  });

  it.each<[string, Files, Parameters<typeof found>[1]?]>([
    ['dependencies', { ...manifest({ dependencies }), ...server }],
    ['optional dependencies', { ...manifest({ optionalDependencies: dependencies }), ...server }],
    ['a build', { ...manifest({ scripts: { build: 'make' } }), ...server }],
    ['a script before the build', { ...manifest({ scripts: { 'heroku-prebuild': 'make' } }), ...server }],
    ['a script after the build', { ...manifest({ scripts: { 'heroku-cleanup': 'make' } }), ...server }],
    ['a script of the installation', { ...manifest({ scripts: { postinstall: 'make' } }), ...server }],
    ['a native module', { ...manifest({}), ...server, 'binding.gyp': '{}' }],
    ['workspaces', { ...manifest({ workspaces: ['a'] }), ...server }],
    ['a release command', { ...manifest({}), ...server, Procfile: 'release: node migrate.js' }],
    ['a command that installs', { ...manifest({}), ...server }, { settings: { install: 'make' } }],
    ['a command that builds', { ...manifest({}), ...server }, { settings: { build: 'make' } }],
    [
      'development dependencies that its start may use',
      { ...manifest({ devDependencies: dependencies, scripts: { start: 'serve' } }) },
    ],
    [
      'development dependencies that a variable may keep',
      { ...manifest({ devDependencies: dependencies }), ...server },
      { hasVariables: true },
    ],
  ])('with %s is built', async (_what, files, how) => {
    expect(await found(files, how)).toBeUndefined();
  });

  it('has what its build would say of it', async () => {
    const files = {
      ...manifest({ engines: { node: '>=99' } }),
      ...server,
      Procfile: 'web: node server.js\nworker: node work.js',
      '.gitmodules': 'path = libs/shared\n',
      'app.json': JSON.stringify({ cron: [{ command: 'node clean.js', schedule: '@daily' }] }),
    };
    expect(await found(files)).toMatchObject({ cron: [{ command: 'node clean.js', schedule: '@daily' }] });
    expect((await found(files))?.notes).toEqual([
      'On AWS Lambda only web and release of the Procfile are run, not worker.',
      expect.stringMatching(/^Git submodules are not deployed: libs\/shared\./),
      `package.json: engines.node is ">=99"; applications run on Node ${process.version} here.`,
    ]);
  });

  it.each<[string, Files, string, Parameters<typeof found>[1]?]>([
    ['nothing to start', manifest({}), 'There is nothing to start'],
    ['no package.json', {}, 'There is no package.json in the root of the repository.'],
    ['no such folder', manifest({}), 'There is no folder web of the repository.', { path: 'web' }],
    ['a damaged package.json', { 'package.json': '{' }, 'package.json '],
    [
      'a schedule that cannot be',
      { ...manifest({}), ...server, 'app.json': '{"cron":[{"command":"a","schedule":"x"}]}' },
      'app.json: the schedule "x"',
    ],
  ])('fails with one sentence: %s', async (_what, files, sentence, how) => {
    await expect(found(files, how)).rejects.toThrow(sentence);
  });
});
