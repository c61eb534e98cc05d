import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Settings } from '../../../../functions/core/apps/settings.ts';
import {
  appFiles,
  ended,
  hello,
  type PlatformUnderTest,
  platform,
  sharedPlatform,
  tarball,
  upload,
} from '../../../support/platform/harness.ts';

/** Writes what it is asked for: `/up/a=1` writes 1 to up/a, `~/` is its HOME; answers what it reads without one. */
const server = `
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
require('node:http').createServer((q, s) => {
  const [path, text] = decodeURIComponent(q.url).slice(1).split('=');
  const file = path.replace(/^~/, process.env.HOME);
  if (file === '') return s.end(process.env.VERSION);
  if (text !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    // As programs do that must not leave half a file.
    const isWhole = q.method === 'PUT';
    writeFileSync(isWhole ? file + '.new' : file, text);
    if (isWhole) renameSync(file + '.new', file);
  }
  s.end(existsSync(file) ? readFileSync(file) : 'nothing');
}).listen(process.env.PORT, process.env.HOST);`;
const DATABASE = 'SQLite format 3\0';
const shared = sharedPlatform();

/** Builds a snapshot with settings and starts it. Returns what the start says. */
async function deployed(at: PlatformUnderTest, snapshot: string, settings: Settings, files = {}) {
  const app = { user: 'ada', app: 'hello' };
  const bytes = await tarball({ ...appFiles('hello', server), ...files });
  await at.hosting.ensureApp(app, {});
  await upload(at, 'hello', snapshot, bytes);
  await at.hosting.activate({ ...app, snapshot }, { settings });
  await ended(at, 'hello', snapshot);
  return start(at, snapshot);
}

const start = (at: PlatformUnderTest, snapshot: string) => at.hosting.start({ user: 'ada', app: 'hello', snapshot });
const ask = async (url: string, path: string, method = 'GET') => (await fetch(`${url}/${path}`, { method })).text();

it('names what the release before has written since its build, and says nothing at a start of the same one', async () => {
  const at = await shared();
  const { url } = await deployed(at, '1', {});
  await ask(url, 'uploads/cat.png=x');
  await at.operations.restart(hello);
  expect(await start(at, '1')).toEqual({ url });

  const note = 'The release before wrote uploads/cat.png, which ends with it: "hooks set keep=uploads" keeps it.';
  expect(await deployed(at, '2', {})).toEqual({ url, note });
  expect(await start(at, '1')).toEqual({ url });
});

it('names what was written into HOME, which no setting keeps, so that a database there is not refused; no files of tools', async () => {
  const at = await shared();
  const { url } = await deployed(at, '1', {});
  const ofTools = [
    '.npm/_logs/a.log',
    '.cache/x/y',
    '.config/nextjs-nodejs/config.json',
    '.bash_history',
    '.pm2/pm2.log',
  ];
  for (const file of ofTools) await ask(url, `~/${file}=x`);
  expect(await deployed(at, '2', {})).toEqual({ url });

  await ask(url, `~/.local/share/notes/all.db=${DATABASE}`);
  await ask(url, '~/seen.json=1');
  await ask(url, 'uploads/cat.png=x');
  const note =
    'The release before wrote uploads/cat.png, which ends with it: "hooks set keep=uploads" keeps it. ' +
    'The release before wrote ~/.local/share/notes/all.db, ~/seen.json, which end with it: ' +
    'the folder that DATA_DIR names is kept.';
  expect(await deployed(at, '3', {})).toEqual({ url, note });
});

it('refuses to end a database with its release; with the setting it is taken over, and kept by all that follow', async () => {
  const at = await shared();
  const { url } = await deployed(at, '1', {});
  await ask(url, `.tmp/data.db=${DATABASE}one`);

  await expect(deployed(at, '2', { keep: ['uploads'] })).rejects.toMatchObject({
    code: 'deploy:platform:start_app',
    retry: false,
    detail:
      'The release that runs has written the SQLite database .tmp/data.db, which would end with it. ' +
      '"hooks set keep=uploads,.tmp" and "hooks redeploy" keep it.',
  });
  expect(await ask(url, '.tmp/data.db')).toContain('one');

  expect(await deployed(at, '3', { keep: ['.tmp'] })).toEqual({ url });
  expect(await ask(url, '.tmp/data.db')).toContain('one');
  await ask(url, `.tmp/data.db=${DATABASE}three`);
  expect(await deployed(at, '4', { keep: ['.tmp'] }, { '.tmp/data.db': 'of the commit' })).toEqual({ url });
  expect(await ask(url, '.tmp/data.db')).toContain('three');

  // A rollback to one that knew nothing of it, and the deploy after that.
  await ask(url, `.tmp/data.db=${DATABASE}four`);
  await at.hosting.activate({ user: 'ada', app: 'hello', snapshot: '1' }, { deploy: 6 });
  await ended(at, 'hello', '1');
  expect(await start(at, '1')).toEqual({ url });
  expect(await ask(url, '.tmp/data.db')).toContain('four');
  await at.operations.restart(hello);
  await ask(url, `.tmp/data.db=${DATABASE}back`);
  expect(await deployed(at, '5', { keep: ['.tmp'] })).toEqual({ url });
  expect(await ask(url, '.tmp/data.db')).toContain('back');
});

it('names a database at a rollback, which is not refused', async () => {
  const at = await shared();
  const { url } = await deployed(at, '1', {});
  await deployed(at, '2', {});
  await ask(url, `data.db=${DATABASE}`);
  expect((await start(at, '1')).note).toContain('data.db');
});

it('keeps files of a pattern, also new ones and those that the application replaces', async () => {
  const at = await shared();
  const keep = ['*.json'];
  const { url } = await deployed(at, '1', { keep }, { 'db.json': 'seed' });
  expect(await ask(url, 'db.json')).toBe('seed');
  await ask(url, 'db.json=one', 'PUT');
  await ask(url, 'new.json=one', 'PUT');
  await at.operations.restart(hello);
  expect(await ask(url, 'db.json')).toBe('one');
  expect((await deployed(at, '2', { keep }, { 'db.json': 'seed' })).note).toBeUndefined();
  expect([await ask(url, 'db.json'), await ask(url, 'new.json')]).toEqual(['one', 'one']);
  const { name } = JSON.parse(await ask(url, 'package.json'));
  expect(name).toBe('hello');
});

it('the release command has what is kept, and a start of the service too', async () => {
  const at = await platform();
  const keep = ['notes'];
  const migrates = { Procfile: 'web: node server.js\nrelease: echo migrated >> notes/all\n', 'notes/all': 'seed\n' };
  const { url } = await deployed(at, '1', { keep }, migrates);
  expect(await ask(url, 'notes/all')).toBe('seed\nmigrated\n');
  await deployed(at, '2', { keep }, migrates);
  expect(await ask(url, 'notes/all')).toBe('seed\nmigrated\nmigrated\n');

  await at.close();
  const again = await platform({ dataDir: at.dataDir });
  await expect.poll(async () => (await again.applications.find(hello))?.state).toBe('running');
  const shown = await again.applications.find(hello);
  expect(await ask(shown?.url ?? '', 'notes/all')).toBe('seed\nmigrated\nmigrated\n');
  const file = join(at.dataDir, 'apps/ada/hello/data/kept/notes/all');
  expect(await readFile(file, 'utf8')).toBe('seed\nmigrated\nmigrated\n');
});

it('a release that fails to start leaves what it has taken over to the one before', async () => {
  const at = await shared();
  const { url } = await deployed(at, '1', {});
  await ask(url, `data.db=${DATABASE}one`);
  await expect(deployed(at, '2', { keep: ['data.db'] }, { 'server.js': 'throw new Error("x")' })).rejects.toMatchObject(
    { detail: expect.stringContaining('What ran before was started again.') },
  );
  expect(await ask(url, 'data.db')).toContain('one');
  await ask(url, `data.db=${DATABASE}more`);
  await deployed(at, '3', { keep: ['data.db'] });
  expect(await ask(url, 'data.db')).toContain('more');
});
