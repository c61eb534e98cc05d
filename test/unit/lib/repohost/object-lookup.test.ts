import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCommand } from '../../../../lib/repohost/git/git.ts';
import { compareCommits, findBlob, findCommit } from '../../../../lib/repohost/git/revisions.ts';
import { temporaryFolder, type WorkingCopy, workingCopy } from '../../../support/repohost-fixture.ts';

let folder: ReturnType<typeof temporaryFolder>;
let copy: WorkingCopy;
/** The arguments of all processes so far, and the processes that were started for streams. */
let commands: (readonly string[])[];
let children: ReturnType<ReturnType<typeof gitCommand>['start']>[];

const repository = () => ({ git: counted(), folder: copy.path });

function counted() {
  const git = gitCommand();
  const start: typeof git.start = (...args) => {
    commands.push(args[0]);
    const child = git.start(...args);
    children.push(child);
    return child;
  };
  const ask: typeof git.ask = (...args) => {
    commands.push(args[0]);
    return git.ask(...args);
  };
  return { ...git, start, ask };
}

beforeEach(async () => {
  commands = [];
  children = [];
  folder = temporaryFolder();
  copy = workingCopy(join(folder.path, 'work'));
});
afterEach(() => {
  for (const child of children) child.kill();
  folder.remove();
});

describe('The lookup of objects', () => {
  it('asks one process for all files of a repository, also for what comes later', async () => {
    const first = await copy.commit('first', { 'package.json': '{}', 'a b': 'text' });
    const paths = ['package.json', '.travis.yml', 'a b', 'a b missing', ''];
    const found = await Promise.all(paths.map((path) => findBlob(repository(), first, path)));
    expect(found).toMatchObject([{ bytes: 2 }, null, { bytes: 4 }, null, 'tree']);
    const second = await copy.commit('second', { 'package.json': '{"a":1}' });
    expect(await findCommit(repository(), second)).toBe(second);
    expect(await findCommit(repository(), 'main')).toBe(second);
    expect(await findBlob(repository(), second, 'package.json')).toMatchObject({ bytes: 7 });
    await copy.git('repack', '-adq');
    const third = await copy.commit('third', { 'package.json': '{"a":12}' });
    expect(await findCommit(repository(), 'main')).toBe(third);
    expect(commands).toHaveLength(1);
  });

  it('follows links, and goes on after one that leads nowhere, out of the tree, in a circle or through a file', async () => {
    mkdirSync(join(copy.path, 'd'));
    symlinkSync('../file', join(copy.path, 'd/good'));
    symlinkSync('nowhere\n0 missing', join(copy.path, 'dangling'));
    symlinkSync('/etc/passwd', join(copy.path, 'out'));
    symlinkSync('circle', join(copy.path, 'circle'));
    const sha = await copy.commit('links', { file: '12345' });
    const paths = ['dangling', 'out', 'circle', 'file/x', '../file', './file', 'd/good'];
    const found = await Promise.all(paths.map((path) => findBlob(repository(), sha, path)));
    expect(found).toMatchObject([null, null, null, null, null, null, { bytes: 5 }]);
    expect(commands).toHaveLength(1);
  });

  it('reads a repository that was made anew in the same folder', async () => {
    const old = await copy.commit('first', { file: '1' });
    expect(await findBlob(repository(), old, 'file')).toMatchObject({ bytes: 1 });
    await rename(copy.path, `${copy.path}.old`);
    copy = workingCopy(copy.path);
    const sha = await copy.commit('other', { other: '123' });
    expect(await findBlob(repository(), sha, 'other')).toMatchObject({ bytes: 3 });
    expect(await findBlob(repository(), old, 'file')).toBeNull();
  });

  it('asks another process when the first one dies', async () => {
    const sha = await copy.commit('first', { file: '12345' });
    expect(await findBlob(repository(), sha, 'file')).toMatchObject({ bytes: 5 });
    children[0]?.kill('SIGKILL');
    const found = await Promise.all([0, 1, 2].map(() => findBlob(repository(), sha, 'file')));
    expect(found).toMatchObject([{ bytes: 5 }, { bytes: 5 }, { bytes: 5 }]);
  });

  it('says nothing of a repository when git was killed', async () => {
    const sha = await copy.commit('first', { 'package.json': '{}' });
    const killed = join(folder.path, 'killed');
    writeFileSync(killed, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const bare = { git: gitCommand(killed), folder: copy.path };
    await expect(findBlob(bare, sha, 'package.json')).rejects.toThrow('git -C: it failed');
    await expect(compareCommits(bare, sha, sha)).rejects.toThrow('git -C: it failed');
    expect(await gitCommand().ask(['-C', copy.path, 'rev-parse', '--verify', '--quiet', 'missing'])).toBeNull();
  });
});
