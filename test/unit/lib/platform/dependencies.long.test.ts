import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  build,
  deploy,
  ended,
  hello,
  serverFile,
  sharedPlatform,
  snapshotOf,
  start,
  tarball,
  upload,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

// The dependency is a tarball inside the repository, so that npm has real work and needs no network.
async function lockedApp(server: string, extra: object = {}, word = 'dependency'): Promise<Record<string, string>> {
  const packed = await tarball({
    'package.json': JSON.stringify({ name: 'word', version: '1.0.0', ...extra }),
    'index.js': `module.exports = '${word}';`,
    'install.js': "require('node:fs').writeFileSync('made.txt', 'by the install script'); console.log('script ran');",
  });
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  const root = { name: 'hello', version: '1.0.0', dependencies: { word: 'file:word.tgz' } };
  const lock = {
    ...{ name: 'hello', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': root,
      'node_modules/word': { version: '1.0.0', resolved: 'file:word.tgz', integrity, ...installScript(extra) },
    },
  };
  return {
    ...appFiles('hello', server, { dependencies: root.dependencies }),
    'package-lock.json': JSON.stringify(lock),
    'word.tgz.base64': packed.toString('base64'),
  };
}

const installScript = (extra: object) => ('scripts' in extra ? { hasInstallScript: true } : {});
const answersWord = serverFile('').replace('s.end("")', "s.end(require('word'))");

/** Builds after the base64 file has become the tarball that package.json names; text files cannot hold one. */
async function binary(files: Record<string, string>): Promise<Record<string, string | Buffer>> {
  const { 'word.tgz.base64': packed = '', ...rest } = files;
  return { ...rest, 'word.tgz': Buffer.from(packed, 'base64') };
}

describe('installing dependencies', () => {
  it('npm ci is run for a lockfile, with install scripts, and its output is kept', async () => {
    const at = await shared();
    const files = await binary(await lockedApp(answersWord, { scripts: { postinstall: 'node install.js' } }));

    const built = await build(at, 'hello', '1', files);
    const started = await start(at, 'hello', '1');

    expect(built).toMatchObject({ state: 'ready', dependencies: 'installed' });
    expect(built.log.join('\n')).toContain('added 1 package');
    expect(await (await fetch(started.url)).text()).toBe('dependency');
    const modules = join(at.dataDir, 'apps/ada/hello/releases/1/node_modules');
    expect(await readFile(join(modules, 'word/made.txt'), 'utf8')).toBe('by the install script');
  });

  it('neither dependencies nor caches of a framework are reused by a clean build, and those before it not later', async () => {
    const at = await shared();
    const scripts = { build: 'mkdir -p .next/cache && cat .next/cache/x 2>/dev/null; echo cached > .next/cache/x' };
    const files = await binary(await lockedApp(answersWord));
    const app = {
      ...files,
      'package.json': String(files['package.json']).replace('{', `{"scripts":${JSON.stringify(scripts)},`),
    };
    const built = async (id: string, options: object) => {
      await upload(at, 'hello', id, await tarball(app));
      await at.hosting.activate({ ...hello, snapshot: id }, options);
      const { dependencies, log } = await ended(at, 'hello', id);
      return [dependencies, log.includes('cached')];
    };
    await at.hosting.ensureApp(hello, {});
    expect(await built('1', {})).toEqual(['installed', false]);
    expect(await built('2', {})).toEqual(['copied', true]);
    expect(await built('3', { clean: true })).toEqual(['installed', false]);
    await start(at, 'hello', '3');
    expect(await built('4', {})).toEqual(['copied', true]);
  });

  it('dependencies are installed again when the lockfile has changed', async () => {
    const at = await shared();
    await build(at, 'hello', '1', await binary(await lockedApp(answersWord)));

    await build(at, 'hello', '2', await binary(await lockedApp(answersWord, {}, 'another')));
    const started = await start(at, 'hello', '2');

    expect((await snapshotOf(at, 'hello', '2')).dependencies).toBe('installed');
    expect(await (await fetch(started.url)).text()).toBe('another');
  });

  it("the installation fails with npm's reason when the lockfile does not match, and is not repeated", async () => {
    const at = await shared();
    const files = await binary(await lockedApp(answersWord));
    const manifest = JSON.stringify({
      name: 'hello',
      dependencies: { word: 'file:word.tgz', other: 'file:other.tgz' },
    });

    const failed = await build(at, 'hello', '1', { ...files, 'package.json': manifest });

    expect(failed).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^npm ci exited with code \d+: .*'other\.tgz'\.$/),
    });
    await at.hosting.activate({ ...hello, snapshot: '1' });
    expect(await snapshotOf(at, 'hello', '1')).toEqual(failed);
  });

  it('npm install is run when there is no lockfile, and the log says that every push installs all packages again', async () => {
    const at = await shared();
    const { 'package-lock.json': lockfile = '', ...files } = await binary(await lockedApp(answersWord));
    const sentence = 'There is no lockfile, so every push installs all packages again';

    const first = await deploy(at, 'hello', '1', files);
    const second = await build(at, 'hello', '2', files);
    const locked = await build(at, 'hello', '3', { ...files, 'package-lock.json': lockfile });

    expect(await (await fetch(first.url)).text()).toBe('dependency');
    expect(second).toMatchObject({ state: 'ready', dependencies: 'installed' });
    expect(second.log.join('\n')).toContain(`${sentence}: commit that of "npm install".`);
    expect(locked.log.join('\n')).not.toContain(sentence);
  });
});
