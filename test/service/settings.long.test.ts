import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, cli } from '../support/cli.ts';
import { type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { rowsOf } from '../support/service/log-file.ts';
import { testFolder } from '../support/service/place.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const name = 'settings';
const dataDir = join(testFolder, `${name}-${process.pid}`);

/** Each file answers with its name. */
const server = `require('node:http').createServer((_, response) => response.end(require('node:path').basename(__filename))).listen(process.env.PORT, process.env.HOST);\n`;
/** Runs once at a time. Notes its starts and what it is asked for, which is what it answers; `/none` there is not. */
const LONE = `const fs = require('node:fs');
const lock = process.env.DATA_DIR + '/lock';
fs.openSync(lock, 'wx');
process.on('SIGTERM', () => { fs.rmSync(lock); process.exit(); });
fs.appendFileSync('notes/all', 'start ');
require('node:http').createServer((request, response) => {
  fs.appendFileSync('notes/all', request.url + ' ');
  response.statusCode = request.url === '/none' ? 404 : 200;
  response.end(fs.readFileSync('notes/all'));
}).listen(process.env.PORT, process.env.HOST);\n`;
const writes = (folder: string) =>
  `node -e "fs.mkdirSync('${folder}'); fs.writeFileSync('${folder}/index.html', 'built in ${folder}')"`;
const manifest = (more: object) => JSON.stringify({ name: 'shop', version: '1.0.0', ...more });

describe('the settings of an application on one machine', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;
  const env = () => ({ PATH: process.env.PATH, HOME: tree.folder, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: dataDir });
  const hooks = (args: string | readonly string[]): Promise<CliRun> => cli(args, { env: env(), folder: tree.folder });
  /** What git prints. The service runs in this process, so git must not block it. */
  const push = async () =>
    (await promisify(execFile)('git', ['push', 'hooks', 'main'], { cwd: tree.folder, env: env() })).stderr;
  const answer = async (): Promise<string> => (await fetch((await hooks('open')).out.trim())).text();

  beforeAll(async () => {
    started = await startForTest(name);
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
  });
  afterAll(async () => {
    await started?.close();
  });

  it('are made before the first deploy; one that is refused changes nothing', async () => {
    tree.commit({
      'package.json': manifest({
        scripts: { build: 'exit 1', start: 'exit 1' },
        dependencies: { 'not-there': '0.0.0' },
      }),
    });
    const refused = await hooks(['create', 'shop', '--output', '../site']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('The setting output must be a folder')]);
    const { code } = await hooks(['create', 'shop', '--install', '', '--build', writes('site'), '--output', 'site']);
    expect(code).toBe(0);
    const said = await push();
    expect(said).toContain('output "site" (set by a person)');
    expect(await answer()).toBe('built in site');
    const { out } = await hooks('build-log');
    expect([out.length > 0, out.includes('Installing')]).toEqual([true, false]);
  });

  it('stay over deploys and come before those of package.json', async () => {
    tree.commit({
      'package.json': manifest({ scripts: { start: 'exit 1' }, deploy: { start: 'node other.js', output: 'public' } }),
      'server.js': server,
      'other.js': server,
    });
    expect(await push()).toContain('start "node other.js" (package.json), output "site" (set by a person)');
    expect(await answer()).toBe('other.js');
    expect((await hooks(['set', 'start=node server.js', 'build='])).err).toContain('The next deploy of shop uses it');
    expect((await hooks('restart')).code).toBe(0);
    expect(await answer()).toBe('other.js');
    expect((await hooks('redeploy shop')).code).toBe(0);
    expect(await answer()).toBe('server.js');
    // What runs again is what was built with these settings.
    expect((await hooks('rollback')).code).toBe(0);
    expect(await answer()).toBe('other.js');
  });

  it('install by a command in place of the package manager, and fail the deploy with it', async () => {
    await hooks(['set', 'install=echo made > node_modules.txt && exit 3']);
    const { code, err } = await hooks('redeploy shop');
    expect([code, err]).toEqual([1, expect.stringContaining('echo made > node_modules.txt && exit 3')]);
    expect((await hooks('unset install start --app shop')).code).toBe(0);
    expect((await hooks('redeploy shop')).code).toBe(0);
    expect(await answer()).toBe('other.js');
  });

  it('go with the application to another name, and end with it', async () => {
    const before = JSON.parse((await hooks('set --app shop --json')).out);
    expect(before).toMatchObject({
      in_package: { start: 'node other.js' },
      found: { install: '', build: '', start: 'node other.js' },
    });
    tree.commit({ 'package.json': manifest({ name: 'store', deploy: { start: 'node other.js' } }) });
    expect((await hooks('rename shop store')).code).toBe(0);
    expect(JSON.parse((await hooks('set --app store --json')).out)).toMatchObject(before);
    expect((await hooks('set --app shop --json')).code).toBe(1);
    expect((await hooks('remove store --yes')).code).toBe(0);
    expect((await hooks('set --app store --json')).code).toBe(1);
  });

  it('deploy two applications of one repository, each by its folder, also by another name', async () => {
    tree.git('remote', 'remove', 'hooks');
    tree.commit({
      'apps/web/package.json': JSON.stringify({ name: 'web', main: 'web.js' }),
      'apps/web/web.js': server,
      'apps/api/package.json': JSON.stringify({ name: '@ann/api', main: 'api.js' }),
      'apps/api/api.js': server,
    });
    const refused = await hooks('create web --path apps/api');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('hooks create ann-api.')]);
    expect((await hooks('create web --path apps/web')).out).toContain('git push hooks main');
    expect((await hooks('create ann-api --path apps/api')).out).toContain('git push hooks-ann-api main');
    const run = promisify(execFile);
    for (const remote of ['hooks', 'hooks-ann-api']) {
      await run('git', ['push', remote, 'main'], { cwd: tree.folder, env: env() });
    }
    const answers = async (app: string) => (await fetch((await hooks(['open', app])).out.trim())).text();
    expect([await answers('web'), await answers('ann-api')]).toEqual(['web.js', 'api.js']);
    tree.commit({
      'apps/web/package.json': JSON.stringify({ name: 'site', main: 'web.js' }),
      'apps/web/web.js': server.replace('basename(__filename)', "basename('again')"),
    });
    expect((await hooks('rename web site')).code).toBe(0);
    await run('git', ['push', 'hooks', 'main'], { cwd: tree.folder, env: env() });
    expect([await answers('site'), await answers('ann-api')]).toEqual(['again', 'api.js']);
    const inApi = { env: env(), folder: join(tree.folder, 'apps/api') };
    expect((await cli('deploy', inApi)).out).toContain('ann/api is live');
  });

  it('deploy staging beside production, as a push that would replace it is told to', async () => {
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
    const page = (text: string) =>
      server.replace("require('node:path').basename(__filename)", `'${text}' + process.env.WORD`);
    const run = (line: string) => promisify(execFile)('sh', ['-c', line], { cwd: tree.folder, env: env() });
    tree.commit({ 'package.json': JSON.stringify({ name: 'stage' }), 'server.js': page('first ') });
    expect((await hooks('create stage')).code).toBe(0);
    await hooks('env set WORD=shared --app stage');
    expect(await push()).toContain('live after');

    await run('git remote add other "$(git remote get-url hooks | sed s/stage/other-repository/)"');
    const refused = (await run('git push other main')).stderr;
    const [, advice = ''] =
      /"(hooks create stage --environment staging)"/.exec(refused.replace(/\s*\nremote: */g, ' ')) ?? [];
    const states = JSON.parse(
      (await hooks('apps --json')).out.split('\n').find((line) => line.includes('"stage"')) ?? '',
    );
    expect(states).toMatchObject({ state: 'running' });
    expect((await hooks('status stage')).out).not.toContain('belongs');

    const created = await hooks(`${advice.replace(/^hooks /, '')} --variables-of stage`);
    const [, line = ''] = /Deploy with: (.*)/.exec(created.out) ?? [];
    tree.commit({ 'server.js': page('second ') });
    expect((await run(line)).stderr).toContain('live after');
    const answers = async (app: string) => (await fetch((await hooks(['open', app])).out.trim())).text();
    expect([await answers('stage'), await answers('stage-staging')]).toEqual(['first shared', 'second shared']);

    const other = (await run('git push hooks HEAD:refs/heads/next')).stderr;
    const [, set = ''] = /(hooks set stage branch=next)/.exec(other) ?? [];
    expect((await hooks(set.replace(/^hooks /, ''))).code).toBe(0);
    tree.commit({ 'server.js': page('third ') });
    expect((await run('git push hooks HEAD:refs/heads/next')).stderr).toContain('live after');
    expect([await answers('stage'), await answers('stage-staging')]).toEqual(['third shared', 'second shared']);
  });

  it('ask visitors for a password that nothing has written down; one in git is not used', async () => {
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
    const deploy = { password: 'one for everybody' };
    tree.commit({ 'package.json': JSON.stringify({ name: 'locked', deploy }), 'server.js': server });
    const password = 'horse battery staple';
    const created = await cli('create locked --password -', {
      env: env(),
      folder: tree.folder,
      stdin: `${password}\n`,
    });
    expect([created.code, created.out.includes(password)]).toEqual([0, false]);
    expect(await push()).toContain('"deploy.password" of package.json is not used: a secret does not belong into git');
    const url = (await hooks('open locked')).out.trim();
    const status = async () => (await fetch(url)).status;
    expect(await status()).toBe(401);
    expect((await hooks('set locked')).out).toMatch(/^password +set /m);

    const rows = rowsOf(join(dataDir, 'service.db'));
    const own = rows.find((row) => row.app === 'locked' && 'variables' in row);
    const { hash } = JSON.parse(String(own?.doc)).password;
    expect(rows.filter((row) => JSON.stringify(row).includes(hash)).length).toBe(1);
    const { stdout } = await promisify(execFile)('sh', ['-c', `grep -rlaF '${password}' '${dataDir}' || true`]);
    expect(stdout).toBe('');
    expect((await hooks(['set', 'locked', 'password='])).err).toContain('asks each visitor for no password any more');
    expect([await status(), (await hooks('set locked')).out.match(/^password +- /m)?.length]).toEqual([200, 1]);
  });

  it('say what outlives a release, that it runs alone, and what it is asked for', async () => {
    tree = gitFolder('nowhere');
    tree.git('remote', 'remove', 'origin');
    const files = (deploy: object) => ({ 'package.json': manifest({ name: 'lone', deploy }), 'server.js': LONE });
    tree.commit(files({ overlap: false, keep: ['notes'], health: '/healthz, 30' }));
    expect((await hooks('create lone')).code).toBe(0);
    const used = 'health "/healthz, 30" (package.json), overlap false (package.json), keep ["notes"] (package.json)';
    expect(await push()).toContain(used);
    tree.commit({ more: '' });
    expect(await push()).toContain('live after');
    expect(await answer()).toMatch(/^start \/healthz .*start \/healthz /);

    expect((await hooks(['set', 'overlap=true', 'health=/none, 5', 'keep=notes, more/*.txt'])).code).toBe(0);
    const shown = JSON.parse((await hooks('set --json')).out);
    expect(shown).toMatchObject({ overlap: true, health: '/none, 5', keep: ['notes', 'more/*.txt'] });
    expect(shown.in_package).toMatchObject({ overlap: false, health: '/healthz, 30', keep: ['notes'] });
    expect((await hooks('redeploy')).err).toContain('"hooks set overlap=false"');
    await hooks('set overlap=');
    expect((await hooks('redeploy')).err).toContain('/none');
    await hooks('unset health keep');
    tree.commit(files({ overlap: 'no' }));
    expect(await push()).toContain('"deploy.overlap" of package.json must be true or false.');
    expect(await answer()).toMatch(/^start \/healthz .*start \/healthz /);
  });
});
