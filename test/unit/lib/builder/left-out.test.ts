import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entriesInside, insideRelease } from '../../../../lib/builder/inside.ts';
import { ignoredScripts, leftOut } from '../../../../lib/builder/left-out.ts';
import { newFolder } from '../../../support/new-folder.ts';

async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const root = newFolder('repository');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

const modules = '[submodule "shared"]\n\tpath = libs/shared\n\turl = ../shared.git\n[submodule "b"]\n\tpath = b\n';
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
const attributes = '*.png filter=lfs diff=lfs merge=lfs -text\n';

describe('what a commit only names', () => {
  it.each([
    ['nothing', {}, []],
    [
      'a submodule whose files are not there',
      { '.gitmodules': modules, 'b/file': '' },
      [expect.stringMatching(/^Git submodules are not deployed: libs\/shared\. /)],
    ],
    [
      'a file of Git LFS',
      { '.gitattributes': attributes, 'public/a.png': pointer, 'b.png': 'version https' },
      [expect.stringMatching(/^Files of Git LFS are deployed as pointers: public\/a\.png for one\. /)],
    ],
    ['a file of Git LFS that was fetched', { '.gitattributes': attributes, 'a.png': '\x89PNG' }, []],
    [
      'a file of Git LFS below a folder that names it',
      { 'public/.gitattributes': attributes, 'a.png': pointer, 'public/img/b.png': pointer },
      [expect.stringContaining('public/img/b.png for one.')],
    ],
    ['a pointer where LFS is not used', { 'docs/pointer.txt': pointer }, []],
  ])('%s', async (_what, files, warnings) => {
    expect(await leftOut(await repository(files))).toEqual(warnings);
  });
});

describe('a submodule out of the repository', () => {
  it('is not looked at, nor what a link leads to', async () => {
    const paths = ['../empty', '..', '/', 'link', '../none'];
    const root = await repository({ '.gitmodules': paths.map((path) => `path = ${path}\n`).join('') });
    await mkdir(join(root, '../empty'), { recursive: true });
    await symlink('..', join(root, 'link'));
    expect(await leftOut(root)).toEqual([]);
  });
});

describe('what is in a folder of a release', () => {
  it('is read up to a limit, by name, and not behind a link out of it', async () => {
    const root = await repository({ c: '', b: '', 'a/x': '' });
    await symlink('/', join(root, 'link'));
    spawnSync('mkfifo', [join(root, 'pipe')]);
    const names = (path: string, most?: number) =>
      insideRelease(root, async () => (await entriesInside(join(root, path), most)).map(({ name }) => name));
    expect(await names('')).toEqual(['a', 'b', 'c', 'link', 'pipe']);
    expect(await names('', 2)).toHaveLength(2);
    for (const path of ['link', 'pipe', 'none', 'b']) expect(await names(path)).toEqual([]);
  });
});

/** pnpm 10.18 */
const printed = [
  'dependencies:',
  '+ better-sqlite3 12.2.0',
  '╭ Warning ───────────────────────────────────────────────────────────────────────────────────╮',
  '│                                                                                            │',
  '│   Ignored build scripts: better-sqlite3, esbuild.                                          │',
  '│   Run "pnpm approve-builds" to pick which dependencies should be allowed to run scripts.   │',
  '╰────────────────────────────────────────────────────────────────────────────────────────────╯',
];

describe('the install scripts that pnpm has left out', () => {
  it('are named', () => {
    const begin = 'pnpm has not run the install scripts of better-sqlite3, esbuild: ';
    expect(ignoredScripts(printed)?.slice(0, begin.length)).toBe(begin);
    expect(ignoredScripts(['Ignored build scripts: esbuild@0.25.1.'])).toContain(' of esbuild@0.25.1: ');
    expect(ignoredScripts(['Done in 1.2s'])).toBeUndefined();
  });
});

describe('the install scripts that npm and Yarn have left out', () => {
  const ofNpm = (what: string) => [
    'added 3 packages in 3s',
    `npm warn install-scripts 2 packages ${what}:`,
    'npm warn install-scripts   @loc/gen@1.0.0 (postinstall: node -e "f(\'a@b\')")',
    'npm warn install-scripts   esbuild@0.25.0 (postinstall: node install.js)',
    'npm warn install-scripts',
    'npm warn install-scripts Run `npm install-scripts ls` to review, or `npm install-scripts approve <pkg>` to allow.',
  ];

  it('are those of npm 12, and none of npm 11, which runs them', () => {
    expect(ignoredScripts(ofNpm('had install scripts blocked because they are not covered by allowScripts'))).toBe(
      'npm has not run the install scripts of @loc/gen, esbuild: allow those that are needed in package.json ("allowScripts": { "@loc/gen": true }).',
    );
    expect(ignoredScripts(ofNpm('have install scripts not yet covered by allowScripts'))).toBeUndefined();
  });

  it.each(['all build scripts have been disabled.', 'its build has been explicitly disabled through configuration.'])(
    'are those of Yarn, of which %s',
    (why) => {
      const line = `➤ YN000${why.startsWith('all') ? 4 : 5}: │ @swc/core@npm:1.3.0 [dc3fc] lists build scripts, but ${why}`;
      expect(ignoredScripts([line.replace(' [dc3fc]', ''), line])).toContain('scripts of @swc/core: ');
      expect(
        ignoredScripts(['➤ YN0007: │ esbuild@npm:0.25.0 must be built because it never has been before']),
      ).toBeUndefined();
    },
  );
});
