import { describe, expect, it } from 'vitest';
import {
  appOf,
  ended,
  refusalOf,
  serverFile,
  sharedPlatform,
  snapshotOf,
  start,
  tarball,
  upload,
} from '../../../../support/platform/harness.ts';

const shared = sharedPlatform();

const snapshot = { ...appOf('web'), snapshot: '1' };

const files = {
  'package.json': JSON.stringify({ name: 'mono', private: true, workspaces: ['packages/*'] }),
  'packages/web/package.json': JSON.stringify({
    name: 'web',
    version: '1.0.0',
    dependencies: { shared: '*' },
    scripts: { build: 'node -p "require(\'shared\')" > built.txt' },
  }),
  'packages/web/server.js': serverFile('').replace('s.end("")', "s.end(require('fs').readFileSync('built.txt'))"),
  'packages/shared/package.json': JSON.stringify({ name: 'shared', version: '1.0.0' }),
  'packages/shared/index.js': "module.exports = 'shared';",
};

async function uploaded(content: Record<string, string> = files) {
  const at = await shared();
  await at.hosting.ensureApp(appOf('web'), {});
  await upload(at, 'web', '1', await tarball(content));
  return at;
}

describe('an application in a folder of a repository', () => {
  it('is installed with its workspaces at the root, and built and started in its folder', async () => {
    const at = await uploaded();

    await at.hosting.activate(snapshot, { path: 'packages/web' });
    const built = await ended(at, 'web', '1');
    const started = await start(at, 'web', '1');

    expect(built).toMatchObject({ state: 'ready', path: 'packages/web' });
    expect(await (await fetch(started.url)).text()).toBe('shared\n');
  });

  it.each([
    ['packages/none', 'There is no folder packages/none of the repository.'],
    ['packages', 'There is no package.json in the folder packages of the repository.'],
    ['package.json', 'There is no folder package.json of the repository.'],
  ])('at %s fails with a sentence', async (path, reason) => {
    const at = await uploaded();
    await at.hosting.activate(snapshot, { path });
    expect(await ended(at, 'web', '1')).toMatchObject({ state: 'failed', reason });
  });

  it('keeps its folder when it is activated again, and cannot be activated for another one', async () => {
    const at = await uploaded({ 'packages/web/package.json': '{"name":"web"}', 'packages/web/server.js': '' });
    await at.hosting.activate(snapshot, { path: 'packages/web' });
    await ended(at, 'web', '1');

    await at.hosting.activate(snapshot);
    expect(await snapshotOf(at, 'web', '1')).toMatchObject({ path: 'packages/web' });
    expect(await refusalOf(at.hosting.activate(snapshot, { path: '' }))).toMatchObject({
      status: 409,
      error: 'The snapshot 1 is built for the folder packages/web, not the root of the repository.',
    });
  });
});

/** Each package has a `dist` only after its build, which needs those of the packages that it depends on. */
const built = (name: string, needs: readonly string[], script = 'node build.js') => ({
  [`packages/${name}/package.json`]: JSON.stringify({
    name: `@t/${name}`,
    version: '1.0.0',
    main: 'dist.js',
    dependencies: Object.fromEntries(needs.map((one) => [`@t/${one}`, '*'])),
    scripts: { build: script, start: 'node server.js' },
  }),
  [`packages/${name}/build.js`]: `
    const parts = ${JSON.stringify(needs)}.map((one) => require('@t/' + one));
    require('fs').writeFileSync('dist.js', 'module.exports = ' + JSON.stringify(['${name}', ...parts].join(' ')));
  `,
});

const monorepo = (root: object = {}, build = 'node build.js') => ({
  'package.json': JSON.stringify({ name: 'mono', private: true, workspaces: ['packages/*', 'tools/*'], ...root }),
  ...built('web', ['ui', 'base'], build),
  // Not by name: "base" is built before "ui", which comes first.
  ...built('ui', ['colours']),
  ...built('base', []),
  ...built('colours', ['base']),
  ...built('other', [], 'exit 3'),
  'packages/web/server.js': serverFile('').replace('s.end("")', "s.end(require('./dist.js'))"),
});

/** A program of the workspaces that writes how it was called, in place of the tool of this name. */
const tool = (name: string) => ({
  [`tools/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', bin: `./${name}.js` }),
  [`tools/${name}/${name}.js`]: `#!/usr/bin/env node
    const [, , ...args] = process.argv;
    require('fs').writeFileSync(process.cwd() + '/packages/web/dist.js', 'module.exports = ' + JSON.stringify(args.join(' ')));
  `,
});

async function answerOf(content: Record<string, string>) {
  const at = await uploaded(content);
  await at.hosting.activate(snapshot, { path: 'packages/web' });
  const done = await ended(at, 'web', '1');
  if (done.state !== 'ready') return String(done.reason);
  const app = await start(at, 'web', '1');
  return (await fetch(app.url)).text();
}

describe('what an application of a workspace depends on', () => {
  it('is built before it, each package after those that it needs, and no others', async () => {
    expect(await answerOf(monorepo())).toBe('web ui colours base base');
  });

  it('is named when its build fails', async () => {
    const files = { ...monorepo(), ...built('colours', [], 'echo "Error: no red"; exit 2') };
    expect(await answerOf(files)).toBe('npm run build in packages/colours exited with code 2: Error: no red.');
  });

  it.each([
    ['tasks', 'run build --filter=./packages/web --env-mode=loose --log-prefix=none'],
    ['pipeline', 'run build --filter=./packages/web'],
  ])('is built by Turborepo when the root depends on it (%s)', async (key, called) => {
    const turbo = { 'turbo.json': `{ // as its pages show it\n"${key}": {"build": {"dependsOn": ["^build"]}} }` };
    const files = { ...monorepo({ devDependencies: { turbo: '*' } }), ...turbo, ...tool('turbo') };
    expect(await answerOf(files)).toBe(called);
  });

  it('is built by Nx when the root depends on it', async () => {
    const files = { ...monorepo({ devDependencies: { nx: '*' } }), 'nx.json': '{}', ...tool('nx') };
    expect(await answerOf(files)).toBe('run-many --target=build --projects=directory:packages/web');
  });

  it.each(['{"tasks": {"lint": {}}}', ''])('is built without Turborepo where that builds nothing: %j', async (text) => {
    const turbo: Record<string, string> = text === '' ? {} : { 'turbo.json': text };
    const files = { ...monorepo({ devDependencies: { turbo: '*' } }), ...turbo, ...tool('turbo') };
    expect(await answerOf(files)).toBe('web ui colours base base');
  });
});
