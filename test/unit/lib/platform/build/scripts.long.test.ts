import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  build,
  buildLogOf,
  deploy,
  hello,
  platform,
  serverFile,
  sharedPlatform,
  snapshotOf,
  tarball,
} from '../../../../support/platform/harness.ts';

const shared = sharedPlatform();

const note = (word: string) => `node -e "require('fs').appendFileSync('steps.txt', '${word} ')"`;

/** A package of the repository, as a tarball, so that npm needs no network. */
async function packed(name: string): Promise<Buffer> {
  return tarball({
    'package.json': JSON.stringify({ name, version: '1.0.0' }),
    'index.js': `module.exports = '${name}';`,
  });
}

async function withPackages(scripts: object, server = serverFile('hi')) {
  const manifest = {
    scripts,
    dependencies: { needed: 'file:needed.tgz' },
    devDependencies: { compiler: 'file:compiler.tgz' },
  };
  return {
    ...appFiles('hello', server, manifest),
    'needed.tgz': await packed('needed'),
    'compiler.tgz': await packed('compiler'),
  };
}

async function release(dataDir: string, id = '1') {
  return join(await realpath(dataDir), 'apps/ada/hello/releases', id);
}

describe('the scripts of a build', () => {
  it("run in Heroku's order, whatever the settings of npm are that `npm start` was called with", async () => {
    const settings = { npm_config_ignore_scripts: 'true', npm_config_omit: 'optional', NPM_CONFIG_DRY_RUN: 'true' };
    const at = await platform({ environment: { ...process.env, ...settings } });
    const scripts = {
      'heroku-prebuild': note('prebuild'),
      preinstall: note('preinstall'),
      build: note('build'),
      'heroku-postbuild': note('postbuild'),
      'heroku-cleanup': note('cleanup'),
    };

    const built = await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), { scripts }));

    expect(built).toMatchObject({ state: 'ready' });
    expect(await readFile(join(await release(at.dataDir), 'steps.txt'), 'utf8')).toBe(
      'prebuild preinstall postbuild cleanup ',
    );
  });

  it('find development dependencies, which are not in the release, also when an unchanged lockfile installs nothing', async () => {
    const at = await shared();
    const files = await withPackages({
      build: `node -e "require('fs').writeFileSync('built.txt', require('compiler') + process.env.NODE_ENV)"`,
    });
    const locked = { ...files, 'package-lock.json': lockOf(files) };
    for (const [id, dependencies] of [
      ['1', 'installed'],
      ['2', 'copied'],
    ] as const) {
      const built = await build(at, 'hello', id, locked);
      expect(built).toMatchObject({ state: 'ready', dependencies });
      expect(built.log.join('\n')).toContain('the variable NPM_CONFIG_PRODUCTION=false keeps them');
      const folder = await release(at.dataDir, id);
      expect(await readFile(join(folder, 'built.txt'), 'utf8')).toBe('compilerproduction');
      expect(existsSync(join(folder, 'node_modules/needed'))).toBe(true);
      expect(existsSync(join(folder, 'node_modules/compiler'))).toBe(false);
    }
  });

  it('keep development dependencies when the variables of the application say so', async () => {
    const at = await shared();
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { NPM_CONFIG_PRODUCTION: 'false' });

    const built = await build(at, 'hello', '1', await withPackages({ build: 'true' }));

    expect(built.log.join('\n')).toContain('kept: the variable NPM_CONFIG_PRODUCTION is "false"');
    expect(existsSync(join(await release(at.dataDir), 'node_modules/compiler'))).toBe(true);
  });

  it('are not needed: without them development dependencies are not installed at all', async () => {
    const at = await shared();
    await build(at, 'hello', '1', await withPackages({}));
    expect(existsSync(join(await release(at.dataDir), 'node_modules/compiler'))).toBe(false);
  });

  it('get the stored variables, whose values are not in the log', async () => {
    const at = await shared();
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { API_KEY: 'very-secret-value' });
    const scripts = { build: 'echo "key $API_KEY"; printf "$API_KEY" > key.txt' };

    await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), { scripts }));

    expect(await readFile(join(await release(at.dataDir), 'key.txt'), 'utf8')).toBe('very-secret-value');
    const text = JSON.stringify(await buildLogOf(at));
    expect(text).toContain('key ***');
    expect(text).not.toContain('very-secret-value');
  });

  it('that fail end the build with the command and what it printed, without paths of the platform', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('old')));
    const scripts = {
      build: `echo "checking"; echo "$PWD/src/a.ts(1,7): error TS2322: Type 'string' is wrong."; exit 2`,
    };

    const built = await build(at, 'hello', '2', appFiles('hello', serverFile('new'), { scripts }));

    expect(built).toMatchObject({
      state: 'failed',
      reason: `npm run build exited with code 2: src/a.ts(1,7): error TS2322: Type 'string' is wrong.`,
    });
    expect(built.log).toContain('checking');
    const { url } = (await at.applications.find(hello)) ?? {};
    expect(await (await fetch(String(url))).text()).toBe('old');
  });

  it('that do not end are ended', async () => {
    const at = await platform({ limits: { installMs: 1_500 } });
    const scripts = { build: 'sleep 60' };
    const built = await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), { scripts }));
    expect(built).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('npm run build did not finish within'),
    });
  });

  it('caches of build tools are there for the next build and not in the release', async () => {
    const at = await shared();
    const cache = 'node_modules/.cache';
    const scripts = { build: `mkdir -p ${cache} && (cat ${cache}/count || true) && printf x >> ${cache}/count` };
    for (const id of ['1', '2']) await build(at, 'hello', id, appFiles('hello', serverFile(id), { scripts }));

    const built = await snapshotOf(at, 'hello', '2');
    expect(built.log).toContain('x');
    expect(existsSync(join(await release(at.dataDir, '2'), cache))).toBe(false);
  });
});

describe('the release of a static site', () => {
  const siteFiles = async () => {
    const build = 'mkdir -p dist && echo pages > dist/index.html && test -d node_modules/needed';
    const { 'server.js': _, ...files }: Record<string, string | Buffer> = await withPackages({ build });
    return { files, manifest: JSON.parse(String(files['package.json'])) };
  };

  it.each([
    ['that are reused by the next build', undefined],
    ['and development dependencies', 'file:compiler.tgz'],
  ])('has no modules %s', async (_, compiler) => {
    const at = await shared();
    const devDependencies = compiler === undefined ? {} : { compiler };
    const { files, manifest } = await siteFiles();
    const app = { ...files, 'package.json': JSON.stringify({ ...manifest, devDependencies }) };
    for (const id of ['1', '2']) {
      const built = await build(at, 'hello', id, { ...app, 'package-lock.json': lockOf(files, devDependencies) });
      expect(built).toMatchObject({ state: 'ready', dependencies: id === '1' ? 'installed' : 'copied' });
      const folder = await release(at.dataDir, id);
      expect(existsSync(join(folder, 'dist/index.html'))).toBe(true);
      expect(existsSync(join(folder, 'node_modules'))).toBe(false);
    }
  });

  it.each([
    ['a process of its Procfile', { Procfile: 'worker: node worker.js\n' }],
    ['a cron job', { 'app.json': '{"cron":[{"command":"node job.js","schedule":"@daily"}]}' }],
  ])('has them for %s', async (_, more) => {
    const at = await shared();
    await build(at, 'hello', '1', { ...(await siteFiles()).files, ...more });
    expect(existsSync(join(await release(at.dataDir), 'node_modules/needed'))).toBe(true);
  });
});

describe("the release of Next's standalone server", () => {
  /** The folder of builds, and what a build of Next leaves in it: its server without what browsers fetch. */
  const files = async (folder: string) => {
    const made = [`${folder}/BUILD_ID`, `${folder}/static/own.js`, `${folder}/standalone/${folder}/static/kept.js`];
    const server = `${folder}/standalone/server.js`;
    const script = `for (const file of ${JSON.stringify([...made, server])}) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, 'built');
    }`;
    return {
      ...appFiles('hello', serverFile('hi'), { scripts: { build: 'node build.js', start: `node ${server}` } }),
      'build.js': `const fs = require('fs'); const path = require('path'); ${script}`,
      'public/robots.txt': 'public',
    };
  };

  it.each(['.next', 'build'])('has its assets beside it (%s)', async (folder) => {
    const at = await shared();
    const built = await build(at, 'hello', '1', await files(folder));
    expect(built).toMatchObject({ state: 'ready' });
    const standalone = join(await release(at.dataDir), folder, 'standalone');
    expect(await readFile(join(standalone, 'public/robots.txt'), 'utf8')).toBe('public');
    for (const name of ['own.js', 'kept.js']) {
      expect(await readFile(join(standalone, folder, 'static', name), 'utf8')).toBe('built');
    }
  });
});

function lockOf(
  files: Readonly<Record<string, string | Buffer>>,
  devDependencies: object = { compiler: 'file:compiler.tgz' },
): string {
  const integrity = (file: string) =>
    `sha512-${createHash('sha512')
      .update(files[file] ?? '')
      .digest('base64')}`;
  const of = (name: string, dev: boolean) => ({
    version: '1.0.0',
    resolved: `file:${name}.tgz`,
    integrity: integrity(`${name}.tgz`),
    ...(dev && { dev }),
  });
  const root = {
    name: 'hello',
    version: '1.0.0',
    dependencies: { needed: 'file:needed.tgz' },
    devDependencies,
  };
  return JSON.stringify({
    ...{ name: 'hello', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': root,
      'node_modules/needed': of('needed', false),
      ...('compiler' in devDependencies && { 'node_modules/compiler': of('compiler', true) }),
    },
  });
}
