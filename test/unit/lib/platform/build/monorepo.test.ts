import { describe, expect, it } from 'vitest';
import { call, ended, serverFile, sharedPlatform, tarball } from '../../../../support/platform/harness.ts';

const shared = sharedPlatform();

const snapshot = '/apps/ada/web/snapshots/1';

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
  await call(at, 'PUT', '/apps/ada/web', {});
  await call(at, 'POST', snapshot, await tarball(content));
  return at;
}

describe('an application in a folder of a repository', () => {
  it('is installed with its workspaces at the root, and built and started in its folder', async () => {
    const at = await uploaded();

    const activated = await call(at, 'POST', `${snapshot}/activate`, { path: './packages/web/' });
    const built = await ended(at, snapshot);
    const started = await call(at, 'POST', '/apps/ada/web/start', { snapshot: '1' });

    expect(activated.status).toBe(202);
    expect(built.body).toMatchObject({ state: 'ready', path: 'packages/web' });
    expect(await (await fetch(started.body.url)).text()).toBe('shared\n');
  });

  it.each(['/etc', '../x', 'a/../../b', 'a\\b', 'a\0b', 7, ['a'], 'node_modules/x'])(
    'at the path %j is refused with 400',
    async (path) => {
      const at = await uploaded();
      expect((await call(at, 'POST', `${snapshot}/activate`, { path })).status).toBe(400);
      expect((await call(at, 'GET', snapshot)).body.state).toBe('pending');
    },
  );

  it.each([
    ['packages/none', 'There is no folder packages/none of the repository.'],
    ['packages', 'There is no package.json in the folder packages of the repository.'],
    ['package.json', 'There is no folder package.json of the repository.'],
  ])('at %s fails with a sentence', async (path, reason) => {
    const at = await uploaded();
    await call(at, 'POST', `${snapshot}/activate`, { path });
    expect((await ended(at, snapshot)).body).toMatchObject({ state: 'failed', reason });
  });

  it('keeps its folder when it is activated again, and cannot be activated for another one', async () => {
    const at = await uploaded({ 'packages/web/package.json': '{"name":"web"}', 'packages/web/server.js': '' });
    await call(at, 'POST', `${snapshot}/activate`, { path: 'packages/web' });
    await ended(at, snapshot);

    expect(await call(at, 'POST', `${snapshot}/activate`)).toMatchObject({
      status: 202,
      body: { path: 'packages/web' },
    });
    const other = await call(at, 'POST', `${snapshot}/activate`, { path: '' });
    expect(other).toMatchObject({
      status: 409,
      body: { error: 'The snapshot 1 is built for the folder packages/web, not the root of the repository.' },
    });
  });
});
