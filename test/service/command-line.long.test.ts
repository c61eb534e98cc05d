import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newFolder } from '../support/new-folder.ts';
import { application, gitFolder } from '../support/service/git-folder.ts';
import { testFolder } from '../support/service/place.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const name = 'folders';
const dataDir = join(testFolder, `${name}-${process.pid}`);

const server = `require('node:http').createServer((_, response) => response.end('Hello')).listen(process.env.PORT, process.env.HOST);\n`;
const manifest = (more: object) => JSON.stringify({ version: '1.0.0', ...more });
const build = "fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', '<h1>Hello</h1>')";

/** What people have, without a dependency: the files, and the name under which they answer. */
const kinds: readonly (readonly [string, string, Record<string, string>])[] = [
  ['a site without a package.json', 'plain', { 'index.html': '<h1>Hello</h1>' }],
  [
    'a site that is built',
    'built',
    { 'package.json': manifest({ name: 'built', scripts: { build: `node -e "${build}"` } }) },
  ],
  [
    'a package with a scope and a main file',
    'ann-scoped',
    { 'package.json': manifest({ name: '@ann/scoped', main: 'lib/main.js' }), 'lib/main.js': server },
  ],
];

describe('the command line in folders of any kind', () => {
  let started: Started<ServiceUnderTest>;
  const home = newFolder('home');
  const env = () => ({ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: dataDir });

  const atItsName = (app: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host: `${app}.demo.localhost` };
      get(started.service.url, { headers }, (response) => text(response).then(resolve, reject)).on('error', reject);
    });

  beforeAll(async () => {
    started = await startForTest(name, {}, { users: ['ann'] });
  });
  afterAll(async () => {
    await started?.close();
  });

  it.each(kinds)('takes %s, which answers at its own name until it is removed', async (_, app, files) => {
    const own = gitFolder('nowhere');
    const run = (args: string) => cli(args, { env: env(), folder: own.folder });
    own.git('remote', 'remove', 'origin');
    own.commit(files);
    expect((await run(`create ${app} --package-json`)).code).toBe(0);
    own.commit({});
    const push = promisify(execFile)('git', ['push', 'hooks', 'main'], { cwd: own.folder, env: env() });
    expect((await push).stderr).toMatch(/remote: live after/);
    expect(await atItsName(app)).toContain('Hello');
    expect((await run(`remove ${app} --yes`)).code).toBe(0);
    expect(await atItsName(app)).not.toContain('Hello');
  });

  it('deploys a folder of another user, who has no access to the data folder', async () => {
    const own = gitFolder('nowhere');
    const HOOKS_SECRET = readFileSync(join(dataDir, 'passwords/ann'), 'utf8').trim();
    const { DATA_DIR, ...others } = {
      ...env(),
      HOME: own.folder,
      HOOKS_URL: started.service.url,
      HOOKS_USER: 'ann',
      HOOKS_SECRET,
    };
    const run = (args: string) => cli(args, { env: others, folder: own.folder });
    own.git('remote', 'remove', 'origin');
    own.commit(application('shop', 'of ann'));
    const { code, out, err } = await run('deploy');
    expect([code, err]).toEqual([0, '']);
    expect(await (await fetch(/live: (\S+)/.exec(out)?.[1] ?? '')).text()).toBe('of ann');
    expect((await run('create shop')).err).toBe('git asks for the password of ann, or an API token.\n');
    own.commit(application('shop', 'of ann again'));
    expect((await run('deploy')).code).toBe(0);
    expect((await run('apps')).out).toMatch(/^shop +running .* ann\/shop /m);
    expect(readFileSync(join(own.folder, '.git/config'), 'utf8')).not.toContain(HOOKS_SECRET);
  });
});
