import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskUsage } from '../../../../lib/files/disk-usage.ts';
import type { Isolation } from '../../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';
import {
  appFiles,
  appOf,
  build,
  deploy,
  refusalOf,
  serverFile,
  tarball,
  until,
} from '../../../support/platform/harness.ts';
import { type InProcess, startInProcess } from '../../../support/platform/in-process.ts';
import { runningIn } from '../../../support/service/processes.ts';

const trial = await trySandbox();
const SECRET = 'secret-of-another-application';
const project = new URL('../../../../', import.meta.url).pathname;
const attempts = readFileSync(join(project, 'test/support/platform/attempts.cjs'), 'utf8');

const ATTEMPTS = attempts.match(/^ {2}'/gm)?.length;
const TRY = "let found = ''; require('./attempts.cjs').reached().then((all) => { found = all; });";
/** A registry of npm with one package, a pnpm that does nothing. */
function onePackage() {
  const server = createServer(async (request, response) => {
    const { host } = request.headers;
    const manifest = { name: 'pnpm', version: '9.0.0', bin: { pnpm: 'pnpm.cjs' } };
    const versions = { '9.0.0': { ...manifest, dist: { tarball: `http://${host}/pnpm.tgz` } } };
    const files = { 'package.json': JSON.stringify(manifest), 'pnpm.cjs': '#!/usr/bin/env node\n' };
    const isTarball = request.url === '/pnpm.tgz';
    const about = { name: 'pnpm', 'dist-tags': { latest: '9.0.0' }, versions };
    response.end(isTarball ? await tarball(files) : JSON.stringify(about));
  });
  const open = async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  return { open, close: () => server.close() };
}

/** The rest of a program: a server that answers with the value of an expression. */
const answering = (value: string) =>
  `require('node:http').createServer((q, s) => s.end(${value})).listen(process.env.PORT, process.env.HOST);`;

describe('on a machine of CI', () => {
  it.runIf(process.env.CI === 'true')('applications can be isolated', () => {
    expect(trial).toMatchObject({ command: expect.any(Array) });
  });
});

describe.runIf('command' in trial)('isolated from the service and from each other', () => {
  const service = newFolder('isolated');
  const home = newFolder('home');
  const platform = join(service, 'platform');
  const apps = join(platform, 'apps/ada');
  const temporary = join(tmpdir(), `of-another-${process.pid}`);
  const registry = onePackage();
  let at: InProcess;

  const live = async (name: string, id: string, files: Record<string, string | Buffer>) => {
    const app = await deploy(at, name, id, files);
    return async () => (await fetch(String(app.url))).text();
  };
  const targets = () => {
    const otherPid = runningIn(join(apps, 'other/releases/1')).at(-1)?.pid;
    const [other, own] = [join(apps, 'other'), join(apps, 'hostile')];
    const place = { service, platform, project, temporary, other, own, home };
    return JSON.stringify({ ...place, secret: SECRET, marker: 'vitest', pid: process.pid, otherPid });
  };

  beforeAll(async () => {
    mkdirSync(join(platform, 'user-caches/bob/npm'), { recursive: true });
    for (const name of ['service.db', 'token.key', 'password', 'netrc', 'config.json']) {
      writeFileSync(join(service, name), 'of the service');
    }
    writeFileSync(temporary, 'of another');
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/id_ed25519'), 'of the operator');
    const isolation = { ...(trial as Omit<Isolation, 'hidden'>), hidden: service };
    const npmrc = join(home, '.npmrc');
    writeFileSync(npmrc, '//registry.example/:_authToken=of the operator\n');
    const places = { HOME: home, npm_config_userconfig: npmrc, npm_config_registry: await registry.open() };
    const environment = { ...process.env, ...places };
    at = await startInProcess({
      dataDir: platform,
      isolation,
      environment,
      limits: { graceMs: 1_000, processCheckMs: 20 },
      processLimits: { '*': 60 },
    });
    await live('other', '1', appFiles('other', serverFile('other')));
    await at.variables.set(appOf('other'), { SECRET });
    await at.operations.restart(appOf('other'));
    writeFileSync(join(apps, 'other/data/kept'), 'of another');
  });
  afterAll(async () => {
    await at.close();
    registry.close();
    for (const path of [service, temporary]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });

  it('an application reaches nothing that is not its own', async () => {
    await live('hostile', '1', appFiles('hostile', serverFile('first')));
    const answer = await live('hostile', '2', {
      ...appFiles('hostile', `${TRY} ${answering('JSON.stringify(found)')}`),
      'attempts.cjs': attempts,
      'targets.json': targets(),
    });
    await until('it has tried', async () => (await answer()) !== '');
    expect(JSON.parse(await answer())).toEqual({ tried: ATTEMPTS, found: [] });
  });

  it('an install script of a dependency reaches nothing but its own release', async () => {
    const dependency = { name: 'dependency', version: '1.0.0', scripts: { postinstall: 'node tries.js' } };
    const manifest = { name: 'building', version: '1.0.0', dependencies: { dependency: 'file:./dependency' } };
    const answer = await live('building', '1', {
      'package.json': JSON.stringify(manifest),
      'dependency/package.json': JSON.stringify(dependency),
      'dependency/tries.js':
        "require('./attempts.cjs').reached().then((all) => require('node:fs').writeFileSync(require('node:path').join(process.env.INIT_CWD, 'found.json'), JSON.stringify(all)));",
      'dependency/attempts.cjs': attempts,
      'dependency/targets.json': targets(),
      'server.js': answering("require('node:fs').readFileSync('found.json')"),
    });
    expect(JSON.parse(await answer())).toEqual({ tried: ATTEMPTS, found: [] });
  });

  it('what an application starts ends with it, wherever it has gone, and so does what it has written to /tmp', async () => {
    const beats = `setInterval(() => require('node:fs').writeFileSync(${JSON.stringify(join(apps, 'leaving/data/beat'))}, String(Date.now())), 20)`;
    const program = `require('node:child_process').spawn('sh', ['-c', 'env -i PATH="$PATH" setsid nohup node -e "$0" & exit', ${JSON.stringify(beats)}],
      { detached: true, stdio: 'ignore' }).unref();
      require('node:fs').writeFileSync('/tmp/filled', 'x'.repeat(1e6)); ${serverFile('up')}`;
    await live('leaving', '1', appFiles('leaving', program));
    const beat = join(apps, 'leaving/data/beat');
    await until('it runs', () => existsSync(beat));
    const homes = join(apps, 'leaving/homes/1');
    expect(readdirSync(homes)).toHaveLength(3);
    await at.operations.stop(appOf('leaving'));
    const last = readFileSync(beat, 'utf8');
    await pause(200);
    expect(readFileSync(beat, 'utf8')).toBe(last);
    expect(readdirSync(homes)).toEqual(['has-run', 'home']);
  });

  it('the limit of processes holds for those that have left everything by which they are known', async () => {
    // It ends by itself at a hundred, so that nothing happens where the limit fails.
    const program = `for (let one = 0; one < 100; one += 1) require('node:child_process').spawn('env', ['-i', 'PATH=' + process.env.PATH, 'setsid', '--fork', 'sleep', '30'], { stdio: 'ignore' });
      setTimeout(() => { ${serverFile('up')} }, 10_000);`;
    const failed = deploy(at, 'multiplying', '1', appFiles('multiplying', program));
    expect((await refusalOf(failed)).error).toContain('started more than 60 processes');
  });

  it('links that an application has planted lead neither its removal nor the accounting of the disk elsewhere', async () => {
    const secret = join(apps, 'other/data');
    const links = `const fs = require('node:fs'); for (const place of [__dirname, process.env.DATA_DIR, process.env.HOME, '/tmp'])
      { fs.symlinkSync(${JSON.stringify(secret)}, place + '/planted'); }`;
    writeFileSync(join(secret, 'large'), Buffer.alloc(4e6, 1));
    await live('planting', '1', appFiles('planting', `${links} ${serverFile('up')}`));
    const root = join(apps, 'planting');
    expect(existsSync(join(root, 'data/planted/kept'))).toBe(true);
    const paths = [root, join(root, 'data'), join(root, 'data/planted')];
    for (const [, bytes] of await diskUsage(paths)) expect(bytes).toBeLessThan(1e6);
    await at.operations.remove(appOf('planting'));
    expect([existsSync(root), readdirSync(secret).sort()]).toEqual([false, ['kept', 'large']]);
  });

  it('each release is built and runs at the same path, which is not in the reason of a failure', async () => {
    const places = "[process.cwd(), __dirname, process.env.INIT_CWD, process.env.PATH.split(':')[0]].join()";
    const manifest = { scripts: { build: `node -p "process.cwd()" > built` } };
    const server = `const said = require('node:fs').readFileSync('built', 'utf8') + ${places}; ${answering('said')}`;
    const [one, two] = [
      await (await live('placed', '1', appFiles('placed', server, manifest)))(),
      await (await live('placed', '2', appFiles('placed', server, manifest)))(),
    ];
    const place = join(apps, 'placed/releases/current');
    expect(one).toBe(`${place}\n${[place, place, place, join(place, 'node_modules/.bin')].join()}`);
    expect(two).toBe(one);
    const failing = { scripts: { build: `node -e 'throw new Error("in " + process.cwd() + "/src/one.js")'` } };
    const built = await build(at, 'placed', '3', appFiles('placed', server, failing));
    expect(built.reason).toContain('in src/one.js');
    const failed = deploy(at, 'placed', '4', appFiles('placed', 'throw new Error("in " + __filename)'));
    expect((await refusalOf(failed)).error).toBe('Error: in server.js (server.js:1)');
  });

  it('a package manager is fetched into the folder that it stays in', async () => {
    const files = appFiles('managed', serverFile('up'), { packageManager: 'pnpm@9.0.0', dependencies: { one: '1' } });
    const built = await build(at, 'managed', '1', { ...files, 'pnpm-lock.yaml': 'lockfileVersion: "9.0"\n' });
    expect([built.state, built.reason, built.tools]).toEqual(['ready', null, ['pnpm@9.0.0']]);
  });

  it('a release that has remembered its own path, of an earlier version, finds its files there', async () => {
    const own = JSON.stringify(join(apps, 'earlier/releases/1/server.js'));
    const answer = await live(
      'earlier',
      '1',
      appFiles('earlier', answering(`String(require('node:fs').existsSync(${own}))`)),
    );
    expect(await answer()).toBe('true');
  });

  it('two releases of an application share DATA_DIR, and no home', async () => {
    const server = `const fs = require('node:fs'); const file = process.env.HOME + '/pm2.sock'; const had = fs.existsSync(file);
      fs.writeFileSync(file, ''); fs.appendFileSync(process.env.DATA_DIR + '/starts', 'x');
      const said = had + ' ' + fs.readFileSync(process.env.DATA_DIR + '/starts');
      ${answering('said')}`;
    const first = await live('sharing', '1', appFiles('sharing', server));
    expect(await first()).toBe('false x');
    const second = await live('sharing', '2', appFiles('sharing', server));
    expect(await second()).toBe('false xx');
  });

  it('what a build has put into the caches of its user is found by its application, which cannot change it', async () => {
    const script = 'mkdir -p $XDG_CACHE_HOME/browsers && echo fetched > $XDG_CACHE_HOME/browsers/one';
    const server = `const fs = require('node:fs'); const file = process.env.XDG_CACHE_HOME + '/browsers/one'; let said = fs.readFileSync(file, 'utf8');
      try { fs.writeFileSync(file, ''); } catch (error) { said += error.code; }
      ${answering('said')}`;
    const answer = await live('browsing', '1', appFiles('browsing', server, { scripts: { build: script } }));
    expect(await answer()).toBe('fetched\nEROFS');
  });

  it('a build finds no DATA_DIR, and its release command does', async () => {
    const data = join(apps, 'migrated/data');
    mkdirSync(data, { recursive: true });
    const write = (name: string) => `node -e 'fs.writeFileSync(${JSON.stringify(join(data, name))}, "")'`;
    const manifest = { name: 'migrated', version: '1.0.0', scripts: { build: `${write('built')} || exit 0` } };
    const files = { 'package.json': JSON.stringify(manifest), 'server.js': serverFile('up') };
    const built = await build(at, 'migrated', '1', {
      ...files,
      Procfile: `release: ${write('released')}\nweb: node server.js\n`,
    });
    expect([built.state, built.reason]).toEqual(['ready', null]);
    expect(readdirSync(data)).toEqual(['released']);
  });

  it('no process of a release command has the id of one of the time before, which its pid file may name', async () => {
    const ids = join(apps, 'numbered/data/ids');
    const print = `node -e 'fs.appendFileSync(${JSON.stringify(ids)}, process.ppid + " " + process.pid + " ")'; exit`;
    const files = { ...appFiles('numbered', serverFile('up')), Procfile: `web: node server.js\nrelease: ${print}\n` };
    for (const id of ['1', '2']) await build(at, 'numbered', id, files);
    const [shell, command, ...second] = readFileSync(ids, 'utf8').trim().split(' ');
    expect([second.length, second.includes(shell ?? ''), second.includes(command ?? '')]).toEqual([2, false, false]);
  });
});
