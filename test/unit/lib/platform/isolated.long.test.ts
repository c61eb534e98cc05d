import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskUsage } from '../../../../lib/files/disk-usage.ts';
import { appFiles, appOf, build, deploy, refusalOf, serverFile, until } from '../../../support/platform/harness.ts';
import { answering, isolatedPlatform, trial } from '../../../support/platform/isolated.ts';

describe.runIf('command' in trial)('isolated from the service and from each other, in detail', () => {
  let at: Awaited<ReturnType<typeof isolatedPlatform>>;
  beforeAll(async () => {
    at = await isolatedPlatform();
  });
  afterAll(() => at.close());

  it('what an application starts ends with it, wherever it has gone, and so does what it has written to /tmp', async () => {
    const beats = `setInterval(() => require('node:fs').writeFileSync(${JSON.stringify(join(at.apps, 'leaving/data/beat'))}, String(Date.now())), 20)`;
    const program = `require('node:child_process').spawn('sh', ['-c', 'env -i PATH="$PATH" setsid nohup node -e "$0" & exit', ${JSON.stringify(beats)}],
      { detached: true, stdio: 'ignore' }).unref();
      require('node:fs').writeFileSync('/tmp/filled', 'x'.repeat(1e6)); ${serverFile('up')}`;
    await at.live('leaving', '1', appFiles('leaving', program));
    const beat = join(at.apps, 'leaving/data/beat');
    await until('it runs', () => existsSync(beat));
    const homes = join(at.apps, 'leaving/homes/1');
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
    const secret = join(at.apps, 'other/data');
    const links = `const fs = require('node:fs'); for (const place of [__dirname, process.env.DATA_DIR, process.env.HOME, '/tmp'])
      { fs.symlinkSync(${JSON.stringify(secret)}, place + '/planted'); }`;
    writeFileSync(join(secret, 'large'), Buffer.alloc(4e6, 1));
    await at.live('planting', '1', appFiles('planting', `${links} ${serverFile('up')}`));
    const root = join(at.apps, 'planting');
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
      await (await at.live('placed', '1', appFiles('placed', server, manifest)))(),
      await (await at.live('placed', '2', appFiles('placed', server, manifest)))(),
    ];
    const place = join(at.apps, 'placed/releases/current');
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
    const own = JSON.stringify(join(at.apps, 'earlier/releases/1/server.js'));
    const answer = await at.live(
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
    const first = await at.live('sharing', '1', appFiles('sharing', server));
    expect(await first()).toBe('false x');
    const second = await at.live('sharing', '2', appFiles('sharing', server));
    expect(await second()).toBe('false xx');
  });

  it('what a build has put into the caches of its user is found by its application, which cannot change it', async () => {
    const script = 'mkdir -p $XDG_CACHE_HOME/browsers && echo fetched > $XDG_CACHE_HOME/browsers/one';
    const server = `const fs = require('node:fs'); const file = process.env.XDG_CACHE_HOME + '/browsers/one'; let said = fs.readFileSync(file, 'utf8');
      try { fs.writeFileSync(file, ''); } catch (error) { said += error.code; }
      ${answering('said')}`;
    const answer = await at.live('browsing', '1', appFiles('browsing', server, { scripts: { build: script } }));
    expect(await answer()).toBe('fetched\nEROFS');
  });

  it('a build finds no DATA_DIR, and its release command does', async () => {
    const data = join(at.apps, 'migrated/data');
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
    const ids = join(at.apps, 'numbered/data/ids');
    const print = `node -e 'fs.appendFileSync(${JSON.stringify(ids)}, process.ppid + " " + process.pid + " ")'; exit`;
    const files = { ...appFiles('numbered', serverFile('up')), Procfile: `web: node server.js\nrelease: ${print}\n` };
    for (const id of ['1', '2']) await build(at, 'numbered', id, files);
    const [shell, command, ...second] = readFileSync(ids, 'utf8').trim().split(' ');
    expect([second.length, second.includes(shell ?? ''), second.includes(command ?? '')]).toEqual([2, false, false]);
  });
});
