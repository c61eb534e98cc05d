import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { SCRIPT_SHELL } from '../../../../lib/builder/process/child-environment.ts';

const RELEASE = '/srv/service/data/releases/1';

/** The PATH of a script that npm runs in the release with this one. */
function pathOf(...folders: readonly string[]): readonly string[] {
  const env = { MODULE_ROOT: RELEASE, PATH: [...folders, '/usr/bin', '/bin'].join(':') };
  const { stdout } = spawnSync('/bin/sh', [SCRIPT_SHELL, '-c', 'echo "$PATH"'], { env, encoding: 'utf8' });
  return stdout.trim().split(':').slice(0, -2);
}

it('a script finds no program of a folder above the release', () => {
  const above = ['', '/srv', '/srv/service', '/srv/service/data'].map((folder) => `${folder}/node_modules/.bin`);
  expect(pathOf(...above)).toEqual([]);
});

it.each([
  ['the release', `${RELEASE}/node_modules/.bin`],
  ['a workspace in it', `${RELEASE}/apps/web/node_modules/.bin`],
  ['what npx has fetched', '/srv/service/data/caches/npm/_npx/1f2e/node_modules/.bin'],
  ['a dependency from git that npm prepares', '/srv/service/data/caches/npm/_cacache/tmp/git-cloneX/node_modules/.bin'],
  ['a package manager that was fetched', '/srv/service/data/tools/pnpm/10/node_modules/.bin'],
  ['a folder with a similar name', '/srv/service/data/releases/10/node_modules/.bin'],
  ['a folder whose name begins as one above', '/srv/serv/node_modules/.bin'],
])('a script finds the programs of %s', (_what, folder) => {
  expect(pathOf(folder)).toEqual([folder]);
});
