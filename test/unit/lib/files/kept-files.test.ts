import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BuiltRelease, keptPaths, keptPlace, linkKept, replacedIn } from '../../../../lib/files/kept-files.ts';
import { newFolder } from '../../../support/new-folder.ts';

type Files = Readonly<Record<string, string>>;

let root: string;
let dataDir: string;

beforeEach(async () => {
  root = newFolder('kept-files');
  dataDir = join(root, 'data');
  await mkdir(dataDir);
});

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function release(name: string, files: Files, path = ''): Promise<BuiltRelease> {
  const at = join(root, name);
  await mkdir(join(at, path), { recursive: true });
  await write(at, files);
  await pause(20);
  return { root: at, folder: join(at, path), since: Date.now() };
}

const text = ({ folder }: BuiltRelease, path: string) => readFile(join(folder, path), 'utf8');
const link = (one: BuiltRelease, ...paths: string[]) => linkKept({ release: one, dataDir, paths });

describe('what is kept of an application', () => {
  it('has at first what the commit has there, and later releases see what was written', async () => {
    const one = await release('1', { 'public/uploads/.gitkeep': '', 'db.sqlite': 'seed' });
    await link(one, 'public/uploads', 'db.sqlite');
    expect(await text(one, 'db.sqlite')).toBe('seed');
    await write(one.folder, { 'public/uploads/a.png': 'a', 'db.sqlite': 'used' });

    const two = await release('2', { 'public/uploads/.gitkeep': 'new', 'db.sqlite': 'seed 2' });
    await link(two, 'public/uploads', 'db.sqlite');
    await link(two, 'public/uploads', 'db.sqlite');
    await rm(one.root, { recursive: true });

    expect(await text(two, 'public/uploads/a.png')).toBe('a');
    expect(await text(two, 'db.sqlite')).toBe('used');
  });

  it('is a folder, or a file that the application makes, where the commit has nothing', async () => {
    const one = await release('1', {});
    await link(one, 'a/uploads', '.tmp', 'a/notes.json');
    await write(one.folder, { 'a/uploads/x/y': '', '.tmp/z': '', 'a/notes.json': '{}' });
    expect((await readdir(join(dataDir, 'kept', 'a'))).sort()).toEqual(['notes.json', 'uploads']);
  });

  it('is taken over from a release that has written it, with what SQLite has beside it, and that one still sees it', async () => {
    const one = await release('1', { 'a.db': 'seed' });
    await write(one.folder, { 'a.db': 'main', 'a.db-wal': 'wal', 'a.db-shm': 'shm', 'up/x': 'x' });
    const two = await release('2', { 'a.db': 'seed' });
    const keptFiles = { ...one, paths: ['a.db', 'up'] };
    await linkKept({ release: two, dataDir, paths: ['a.db', 'up'], keptFiles });
    expect(await text(two, 'a.db')).toBe('main');
    expect(await text(one, 'a.db')).toBe('main');
    expect(await text(two, 'up/x')).toBe('x');
    const kept = await readdir(join(dataDir, 'kept'));
    expect(kept.sort()).toEqual(['a.db', 'a.db-shm', 'a.db-wal', 'up']);
    await linkKept({ release: two, dataDir, paths: ['a.db', 'up'], keptFiles });
    expect(await text(two, 'a.db')).toBe('main');
  });

  it('that was kept before a release wrote its own lies beside it', async () => {
    const one = await release('1', { 'a.json': 'kept', 'up/x': 'kept' });
    await link(one, 'a.json', 'up');
    const two = await release('2', { 'a.json': 'own', 'up/x': 'own' });
    const three = await release('3', {});
    await linkKept({
      release: three,
      dataDir,
      paths: ['a.json', 'up'],
      keptFiles: { ...two, paths: ['a.json', 'up'] },
    });
    expect(await text(three, 'a.json')).toBe('own');
    expect(await text(three, 'up/x')).toBe('own');
    expect(await readFile(join(dataDir, 'kept/a.json.before'), 'utf8')).toBe('kept');
    expect(await readFile(join(dataDir, 'kept/up.before/x'), 'utf8')).toBe('kept');
  });

  it('is known to be replaced when the application has renamed a file to it', async () => {
    const one = await release('1', { 'a.json': 'one', 'b.json': 'one' });
    await link(one, 'a.json', 'b.json');
    expect(await replacedIn(one, ['a.json', 'b.json', 'c.json'])).toEqual([]);
    await write(one.folder, { 'a.json.tmp': 'two' });
    await rename(join(one.folder, 'a.json.tmp'), join(one.folder, 'a.json'));
    expect(await replacedIn(one, ['a.json', 'b.json', 'c.json'])).toEqual(['a.json']);
    expect(await replacedIn({ ...one, since: Date.now() + 1000 }, ['a.json'])).toEqual([]);
  });

  it('may lie elsewhere in the repository than the application, and not outside', async () => {
    const one = await release('1', { 'packages/db/dev.db': 'seed' }, 'apps/web');
    await link(one, '../../packages/db/dev.db');
    expect(await readFile(keptPlace(dataDir, '../../packages/db/dev.db'), 'utf8')).toBe('seed');
    await expect(link(one, '../../../data')).rejects.toThrow('What is kept must be in the repository.');
    await expect(link(one, '../../..')).rejects.toThrow('What is kept must be in the repository.');
  });

  it('never lies behind a link that an application has made', async () => {
    const other = join(root, 'other');
    await write(other, { 'secret/x': 'theirs' });
    const one = await release('1', {});
    await symlink(other, join(one.root, 'public'));
    await expect(link(one, 'public/secret')).rejects.toThrow(
      'Nothing can be kept in public, which is a link or a file.',
    );
    const two = await release('2', {});
    const keptFiles = { ...one, paths: ['public/secret'] };
    await expect(linkKept({ release: two, dataDir, paths: ['public/secret'], keptFiles })).rejects.toThrow('public');
    await rm(join(dataDir, 'kept'), { recursive: true });
    await symlink(other, join(dataDir, 'kept'));
    await expect(link(two, 'up')).rejects.toThrow('Nothing can be kept in kept, which is a link or a file.');
    expect(await readFile(join(other, 'secret/x'), 'utf8')).toBe('theirs');
    expect(await readdir(other)).toEqual(['secret']);
  });
});

describe('while the application runs', () => {
  it('nothing is moved, made or removed behind a link that it puts in place of a folder', async () => {
    const other = join(root, 'other');
    const theirs = { 'b/x': 'theirs', 'b.before/x': 'theirs' };
    await write(other, theirs);
    await write(dataDir, { 'kept/a/b/x': 'kept' });
    await symlink(other, join(dataDir, 'link'));
    const turn = `const { renameSync } = require('node:fs');
      console.log('begun');
      const move = (from, to) => { try { renameSync(from, to); } catch {} };
      for (let n = 0; ; n += 1) { move('kept/a', 'a-' + n); move('link', 'kept/a'); move('kept/a', 'link'); move('a-' + n, 'kept/a'); }`;
    const application = spawn(process.execPath, ['-e', turn], { cwd: dataDir });
    await once(application.stdout, 'data');
    const outcomes = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const one = { root: join(root, `${round}`), folder: join(root, `${round}`), since: 0 };
      await write(one.root, { 'a/b/x': 'own' });
      const linked = linkKept({ release: one, dataDir, paths: ['a/b'], keptFiles: { ...one, paths: ['a/b'] } });
      outcomes.add(
        await linked.then(
          () => 'linked',
          (error: Error) => error.message.slice(0, 20),
        ),
      );
    }
    expect(application.exitCode).toBeNull();
    application.kill('SIGKILL');
    expect(outcomes).toContain('linked');
    for (const [path, content] of Object.entries(theirs))
      expect(await readFile(join(other, path), 'utf8')).toBe(content);
    expect((await readdir(other)).sort()).toEqual(['b', 'b.before']);
  });
});

describe('patterns', () => {
  it('stand for nothing behind a link that an application has made', async () => {
    const one = await release('1', {});
    await write(join(root, 'other'), { 'secret.db': '' });
    await mkdir(join(dataDir, 'kept'));
    for (const folder of [one.folder, join(dataDir, 'kept')]) await symlink(join(root, 'other'), join(folder, 'a'));
    expect(await keptPaths(['a/*.db'], dataDir, [one])).toEqual([]);
  });

  it('never stand for what says how a release is built and started', async () => {
    const one = await release('1', { 'package.json': '', 'app.json': '', 'db.json': '' });
    expect(await keptPaths(['*.json'], dataDir, [one])).toEqual(['db.json']);
  });

  it('stand for what there is in a release, or is kept already, and not for what is in a kept folder', async () => {
    const one = await release('1', {
      'a.sqlite': '',
      '.b.sqlite': '',
      'db/c.sqlite': '',
      'a.sqlite-wal': '',
      'x/y': '',
    });
    await write(join(dataDir, 'kept'), { 'old.sqlite': '' });
    const paths = (...keep: string[]) => keptPaths(keep, dataDir, [one]);
    expect(await paths('*.sqlite')).toEqual(['old.sqlite', 'a.sqlite']);
    expect(await paths('*/*.sqlite', 'db/*')).toEqual(['db/c.sqlite']);
    expect(await paths('.*.sqlite', 'x', 'x/y', 'none')).toEqual(['.b.sqlite', 'x', 'none']);
  });

  it('are compared with a limited number of files, whatever they say', async () => {
    const one = await release('1', Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`a/${at}`, ''])));
    const keep = (count: number) => Array.from({ length: count }, (_, at) => `*/*${at}x`);
    expect(await keptPaths(keep(10), dataDir, [one])).toEqual([]);
    await expect(keptPaths(keep(40), dataDir, [one])).rejects.toThrow(
      'The patterns of "keep" are compared with at most 20000 files and folders, and there are more: keep their folder.',
    );
  });

  it('that would be slow as a regular expression end at once', async () => {
    const one = await release('1', { ['a'.repeat(200)]: '' });
    expect(await keptPaths([`${'a*'.repeat(50)}b`, `${'*a'.repeat(50)}b`, '*'.repeat(200)], dataDir, [one])).toEqual([
      'a'.repeat(200),
    ]);
  });
});
