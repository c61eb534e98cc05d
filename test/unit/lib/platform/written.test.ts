import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { lossOf, writtenBy } from '../../../../lib/platform/desired/written.ts';
import { temporaryFolder } from '../../../support/platform/harness.ts';

const DATABASE = 'SQLite format 3\0…';

type Files = Readonly<Record<string, string>>;

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** A release of these files, in which these were written later. */
async function release(built: Files, later: Files, path = ''): Promise<Parameters<typeof writtenBy>[0]> {
  const root = await temporaryFolder();
  await write(root, built);
  await pause(20);
  const since = Date.now();
  await pause(20);
  await write(root, later);
  return { root, folder: join(root, path), since };
}

const own = { 'server.js': '', 'public/index.html': '', 'prisma/schema.prisma': '' };

describe('what a release has written into itself', () => {
  it.each([
    ['a database in a folder of its own', {}, { '.tmp/data.db': DATABASE }, ['.tmp'], ['.tmp/data.db']],
    ['one beside other files', {}, { 'prisma/dev.db': DATABASE }, ['prisma/dev.db'], ['prisma/dev.db']],
    ['uploads, deep in a new folder', {}, { 'public/uploads/2026/11/a.png': '' }, ['public/uploads'], []],
    ['uploads, in a folder of the commit', { 'up/.gitkeep': '' }, { 'up/a.png': '', 'up/b/c': '' }, ['up'], []],
    ['a file of the commit', {}, { 'server.js': 'x' }, ['server.js'], []],
    [
      'a file in node_modules',
      { 'node_modules/a/x': '' },
      { 'node_modules/db.json': '' },
      ['node_modules/db.json'],
      [],
    ],
    [
      'a standalone server',
      { '.next/BUILD_ID': '' },
      { '.next/standalone/dev.db': DATABASE },
      ['.next/standalone'],
      ['.next/standalone/dev.db'],
    ],
  ])('%s is named, with what is to be kept', async (_, more, later, places, databases) => {
    const at = await release({ ...own, ...more }, later);
    const files = Object.keys(later).sort();
    expect(await writtenBy(at)).toEqual({ files, databases, places });
  });

  it('a database is written when only its journal is, and not when it is only read', async () => {
    const at = await release({ ...own, 'a.db': DATABASE, 'b.db': DATABASE }, { 'a.db-wal': 'x', 'a.db-shm': 'x' });
    await write(at.root, { 'b.db-wal': '', 'b.db-shm': 'x' });
    expect(await writtenBy(at)).toEqual({ files: ['a.db'], databases: ['a.db'], places: ['a.db'] });
  });

  it('what tools make again is left out', async () => {
    const made = [
      '.next/cache/images/x',
      '.next/server/app/a.html',
      'node_modules/.cache/x',
      'web/node_modules/.vite/x',
    ];
    const more = ['.nuxt/x', '.git/index', '.npm/_logs/x.log', 'npm-debug.log', '.cache/x', 'contents.sqlite'];
    const at = await release(own, Object.fromEntries([...made, ...more].map((path) => [path, DATABASE])));
    expect(await writtenBy(at)).toEqual({ files: [], databases: [], places: [] });
  });

  it('links are not followed, and paths are those from the folder of the application', async () => {
    const outside = await temporaryFolder();
    const at = await release(
      { 'apps/web/server.js': '' },
      { 'apps/web/a/b': '', 'packages/db/dev.db': DATABASE },
      'apps/web',
    );
    await write(outside, { 'secret.db': DATABASE });
    await symlink(outside, join(at.root, 'apps/web/kept'));
    await symlink(join(outside, 'secret.db'), join(at.root, 'secret.db'));
    expect(await writtenBy(at)).toEqual({
      files: ['a/b', '../../packages/db/dev.db'],
      databases: ['../../packages/db/dev.db'],
      places: ['a', '../../packages'],
    });
  });

  it('of a release that was unpacked after that time nothing is known', async () => {
    const at = await release({}, own);
    expect(await writtenBy({ ...at, since: 1 })).toEqual({ files: [], databases: [], places: [] });
  });

  it('one sentence says what is lost, and how it is kept', () => {
    expect(lossOf([], '…')).toBeUndefined();
    expect(lossOf(['a/1'], 'DATA_DIR is kept')).toBe(
      'The release before wrote a/1, which ends with it: DATA_DIR is kept.',
    );
    const said = 'The release before wrote a/1, a/2, b, 2 more, which end with it: DATA_DIR is kept.';
    expect(lossOf(['a/1', 'a/2', 'b', 'c', 'd'], 'DATA_DIR is kept')).toBe(said);
  });
});
